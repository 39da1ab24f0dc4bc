import { managerHistoryFilter } from "@agent-history/filters";
import { describe, expect, it } from "vitest";

import { gardenTeam } from "../../test-support/garden-team.ts";
import { modelDouble } from "../../test-support/model-double.ts";
import { strategicDecomposerPlanner } from "./strategic-decomposer-planner.ts";

const RAIN = "How long does a valve stay open when rain is forecast?";
const RIPE = "When is a tomato ripe?";

describe("strategicDecomposerPlanner", () => {
  it("divides a phase by what the phases before found, of which it sees the synthesis and no more", async () => {
    const historyFilter = managerHistoryFilter({ earlierPhases: "previous" });
    const planners = { manager: strategicDecomposerPlanner({ historyFilter }) };
    const { team, calls, entries } = await gardenTeam({ planners });
    await team.ask(RAIN);
    const [, second] = calls.filter(({ step }) => step === "decomposer");
    const synthesis = entries.find(({ type }) => type === "synthesis");
    const step = entries.find(
      ({ type, phaseId, agent }) =>
        type === "task" && phaseId === "read" && agent?.role === "worker",
    );

    expect(second?.entryIds[0]).toBe(synthesis?.id);
    expect(second?.entryIds).toHaveLength(2);
    expect(step).toMatchObject({
      content: expect.stringMatching(/^Read `src\/valve_controller\.py` lines 1-34 and quote/),
    });
  });

  it.each(["no plan", '{"steps": [{"worker": "x"}]}'])(
    "gives a reply that is no plan to each worker: %j",
    async (text) => {
      const { team, entries } = await gardenTeam({
        model: modelDouble({ steps: () => ({ text }) }),
      });
      await team.ask(RIPE);
      const goals = entries.filter(
        ({ type, agent }) => type === "task" && agent?.role === "worker",
      );

      expect(goals).toHaveLength(6);
    },
  );

  it("gives the work of a worker that does not exist to the first, and goes on without any work", async () => {
    const steps = [{ worker: "toString", goal: `Search: ${RIPE}` }];
    const replies = [{ steps }, { steps: [] }];
    const model = modelDouble({ steps: () => ({ text: JSON.stringify(replies.shift()) }) });
    const { team, entries } = await gardenTeam({ model });
    await team.ask(RIPE);

    expect(entries.flatMap(({ type, agent }) => (type === "final" ? [agent?.id] : []))).toEqual([
      "source-reader-1",
    ]);
    expect(entries.filter(({ type }) => type === "synthesis")).toHaveLength(2);
  });
});
