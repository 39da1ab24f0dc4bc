import { orchestratorHistoryFilter } from "@agent-history/filters";
import { describe, expect, it } from "vitest";

import { expectedView } from "../../test-support/expected-view.ts";
import { gardenTeam } from "../../test-support/garden-team.ts";
import { modelDouble } from "../../test-support/model-double.ts";
import { strategicPlanner } from "./strategic-planner.ts";

const RAIN = "How long does a valve stay open when rain is forecast?";
const RIPE = "When is a tomato ripe?";

describe("strategicPlanner", () => {
  it("plans phases, each for one manager", async () => {
    const { team, entries } = await gardenTeam({ planners: { orchestrator: strategicPlanner() } });
    await team.ask(RAIN);
    const tasks = entries.filter(({ type, agent }) => type === "task" && agent?.role === "manager");

    expect(entries.find(({ type }) => type === "strategic_plan")).toMatchObject({
      agent: { role: "orchestrator" },
      content: `${RAIN}\nfind: Find the passages that answer: ${RAIN}\nread: Read what was found and quote what answers: ${RAIN}`,
    });
    expect(tasks).toMatchObject([
      { agent: { id: "manager-1" }, from: { id: "orchestrator" }, phaseId: "find" },
      { agent: { id: "manager-2" }, from: { id: "orchestrator" }, phaseId: "read" },
    ]);
  });

  it("is shown what its filter shows", async () => {
    const historyFilter = orchestratorHistoryFilter({ maxConversationTurns: 1 });
    const { team, calls } = await gardenTeam({
      planners: { orchestrator: strategicPlanner({ historyFilter }) },
    });
    await team.ask(RAIN);
    await team.ask(RIPE);
    const plans = calls.filter(({ step }) => step === "strategic");

    expect(plans.map(({ messages }) => messages.slice(1))).toEqual([
      [{ role: "user", content: RAIN }],
      [{ role: "user", content: RIPE }],
    ]);
  });

  it.each([
    "I would rather not.",
    '{"phases": []}',
    '{"goal": "x", "phases": [{"id": {}}]}',
    "{",
    "",
  ])("makes one phase of a reply that is no plan: %j", async (text) => {
    const model = modelDouble({ "strategic-plan": () => ({ text }) });
    const { team, entries } = await gardenTeam({ model });

    expect((await team.ask(RIPE)).text).toContain("comes off the stem");
    expect(entries.filter(({ type }) => type === "synthesis")).toHaveLength(1);
  });

  it("reads a plan out of words and fences, with numbers for phases", async () => {
    const plan = JSON.stringify({
      goal: RIPE,
      phases: [
        { id: 1, goal: `Find: ${RIPE}` },
        { id: 2, goal: `Read: ${RIPE}` },
      ],
    });
    const model = modelDouble({
      "strategic-plan": () => ({ text: `Sure!\n\`\`\`json\n${plan}\n\`\`\`` }),
    });
    const { team, entries, calls } = await gardenTeam({ model, compressAbove: Infinity });
    await team.ask(RIPE);

    expect(entries.flatMap(({ type, phaseId }) => (type === "synthesis" ? [phaseId] : []))).toEqual(
      [1, 2],
    );
    for (const call of calls) expect(call.entryIds).toEqual(expectedView(call.log, call));
  });
});
