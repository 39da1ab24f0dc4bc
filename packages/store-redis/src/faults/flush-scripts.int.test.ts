import { expect, it } from "vitest";

import { describeWithRedis } from "../../test-support/describe-with-redis.ts";
import { flushScripts } from "../../test-support/faults/flush-scripts.ts";

await describeWithRedis("redisStore on a server that forgets its scripts", () => {
  it("writes on, in order, and tells the caller nothing", async () => {
    const report = await flushScripts({ writers: 2, threads: 3, batchSize: 4, batches: 40 });
    expect(report.violations).toEqual([]);
    expect(report.audit.acknowledged).toBe(2 * 3 * 4 * 40);
    expect(report.figures).toEqual({ flushes: expect.any(Number), duplicates: 0 });
    expect(report.figures["flushes"]).toBeGreaterThan(5);
  });
});
