import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { reasoningDoors } from "../test-support/reasoning-doors.ts";
import { events, judgeRequests, WINDOWS } from "../test-support/reasoning-histories.ts";

describe.each(reasoningDoors)("reasoning through $name", (door) => {
  it("stands behind what it was made after in every request, whatever is edited, forked or switched", async () => {
    await fc.assert(
      fc.asyncProperty(events, fc.constantFrom(...WINDOWS), async (happened, window) => {
        expect((await judgeRequests(door, happened, window)).faults).toEqual([]);
      }),
      { numRuns: lawRuns(60) },
    );
  });

  it("is all there while the prompt only grows", async () => {
    const asks = Array.from({ length: 9 }, () => ({ kind: "ask" as const, at: 0, size: 9 }));
    expect(await judgeRequests(door, asks, 20_000)).toEqual({ faults: [], valid: 9 });
  });
});
