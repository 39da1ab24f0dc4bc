import { describe, expect, it } from "vitest";

import { gardenTeam } from "../../test-support/garden-team.ts";
import { modelDouble } from "../../test-support/model-double.ts";
import { managerScriptPlanner } from "./manager-script-planner.ts";

const RAIN = "How long does a valve stay open when rain is forecast?";
const RIPE = "When is a tomato ripe?";

describe("managerScriptPlanner", () => {
  it("writes down each call, and workers make them without a model", async () => {
    const { team, entries, calls } = await gardenTeam({
      planners: { manager: managerScriptPlanner() },
    });

    const { text } = await team.ask(RAIN);

    expect(text).toContain("src/valve_controller.py:6-14 choose_valve_duration [source1]:");
    expect(calls.filter(({ agent }) => agent.role === "worker")).toEqual([]);
    expect(entries.filter(({ type }) => type === "observation").length).toBeGreaterThan(3);
  });

  it("sees the syntheses of the phases before, and its task", async () => {
    const { team, entries, calls } = await gardenTeam({
      planners: { manager: managerScriptPlanner() },
    });
    for (const question of [RAIN, RIPE]) await team.ask(question);
    const shown = calls
      .filter(({ step }) => step === "script")
      .map(({ entryIds }) => entryIds.map((id) => entries.find((entry) => entry.id === id)))
      .map((seen) => seen.map((entry) => `${entry?.type} ${entry?.turnId} ${entry?.phaseId}`));
    const [first, second] = entries.flatMap(({ type, id }) =>
      type === "user_message" ? [id] : [],
    );

    expect(managerScriptPlanner().historyFilter.name).toBe("syntheses");
    expect(shown).toEqual(
      [first, second].flatMap((turn) => [
        [`task ${turn} find`],
        [`synthesis ${turn} find`, `task ${turn} read`],
      ]),
    );
  });

  it("leaves a reply that is no script to the decomposer", async () => {
    const model = modelDouble({ script: () => ({ text: "no" }) });
    const { team, calls } = await gardenTeam({
      model,
      planners: { manager: managerScriptPlanner() },
    });

    expect((await team.ask(RIPE)).text).toContain("comes off the stem");
    expect(calls.filter(({ agent }) => agent.role === "worker")).not.toEqual([]);
  });
});
