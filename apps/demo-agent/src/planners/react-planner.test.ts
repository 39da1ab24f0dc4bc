import { workerHistoryFilter } from "@agent-history/filters";
import { describe, expect, it } from "vitest";

import { gardenTeam } from "../../test-support/garden-team.ts";
import { reactPlanner } from "./react-planner.ts";

describe("reactPlanner", () => {
  it("calls tools until it can report", async () => {
    const planners = { worker: reactPlanner({ historyFilter: workerHistoryFilter() }) };
    const { team, entries } = await gardenTeam({ planners });
    await team.ask("Is there a zeppelin in tomatoes?");
    const trace = entries.filter(
      ({ agent, phaseId }) => agent?.id === "data-reader-1" && phaseId === "find",
    );

    expect(trace.map(({ type }) => type)).toEqual(["task", "action", "observation", "final"]);
  });
});
