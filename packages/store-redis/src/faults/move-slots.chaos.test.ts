import { expect, it } from "vitest";

import { describeWithRedis } from "../../test-support/describe-with-redis.ts";
import { moveSlots } from "../../test-support/faults/move-slots.ts";

await describeWithRedis("redisStore on a cluster whose slots move", () => {
  it("writes on without an error to the caller", async () => {
    // Of four threads on three nodes two share a node.
    const load = { writers: 2, threads: 4, lanes: 2, batchSize: 3 };
    const report = await moveSlots({ load, rounds: 3, slots: 2, everyEntries: 48 });
    expect(report.violations).toEqual([]);
    expect(report.figures["moves"]).toBe(6);
    // A thread has several keys, of which one goes ahead of the others.
    expect(report.figures["keys"]).toBeGreaterThan(6);
  });
});
