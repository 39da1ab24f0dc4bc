import { describe, expect, it } from "vitest";

import { expectedView } from "../../test-support/expected-view.ts";
import { gardenTeam } from "../../test-support/garden-team.ts";
import { modelDouble } from "../../test-support/model-double.ts";
import { workerRouterPlanner } from "./worker-router-planner.ts";

const RIPE = "When is a tomato ripe?";

describe("workerRouterPlanner", () => {
  it("sends a question to one worker, whose report is the answer", async () => {
    const { team, entries, calls } = await gardenTeam({
      planners: { orchestrator: workerRouterPlanner() },
    });

    const { text } = await team.ask("What do the notes say of a ripe tomato?");

    expect(text).toMatch(
      /^notes\/tomatoes\.md:5-8 .*\n> A tomato is ripe when it comes off the stem/,
    );
    expect(calls.map(({ agent, step }) => `${agent.id} ${step}`)).toEqual([
      "orchestrator router",
      "document-reader-1 react",
      "document-reader-1 react",
    ]);
    expect(entries.find(({ type }) => type === "task")).toMatchObject({
      from: { id: "orchestrator" },
    });
    for (const call of calls) expect(call.entryIds).toEqual(expectedView(call.log, call));
  });

  it("hands on the whole question, colons and all", async () => {
    const { team, entries } = await gardenTeam({
      planners: { orchestrator: workerRouterPlanner() },
    });
    await team.ask("Notes: is a tomato ripe?");

    expect(entries.find(({ type }) => type === "action")).toMatchObject({
      toolCalls: [{ arguments: expect.stringContaining('"Notes: is a tomato ripe?"') }],
    });
  });

  it("goes by its rules before it asks the model", async () => {
    const rules = [
      { worker: "nobody", include: ["tomato"] },
      { worker: "source-reader", include: ["TOMATO"], exclude: ["ripe"] },
      { worker: "data-reader", include: ["tomato"] },
    ];
    const planners = { orchestrator: workerRouterPlanner({ rules }) };
    const { team, calls } = await gardenTeam({ planners });
    await team.ask("Where is a ripe tomato?");
    await team.ask("Where is the tomatoes' bed?");

    expect([...new Set(calls.map(({ agent, step }) => `${agent.id} ${step}`))]).toEqual([
      "data-reader-1 react",
      "orchestrator router",
      "source-reader-1 react",
    ]);
  });

  it("falls back to its default worker, and without one asks what is meant", async () => {
    const model = modelDouble({ "worker-choice": () => ({ text: '{"worker": "nobody"}' }) });
    const fallback = workerRouterPlanner({ defaultWorker: "data-reader" });
    const withDefault = await gardenTeam({ model, planners: { orchestrator: fallback } });
    const without = await gardenTeam({ model, planners: { orchestrator: workerRouterPlanner() } });

    await withDefault.team.ask(RIPE);

    expect(withDefault.calls.at(-1)?.agent.id).toBe("data-reader-1");
    expect((await without.team.ask(RIPE)).text).toMatch(/^I am not sure/);
  });
});
