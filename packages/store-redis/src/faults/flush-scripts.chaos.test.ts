import { expect, it } from "vitest";

import { describeWithRedis } from "../../test-support/describe-with-redis.ts";
import { flushScripts } from "../../test-support/faults/flush-scripts.ts";

await describeWithRedis("redisStore on a server that forgets its scripts", () => {
  it("writes on, in order, and tells the caller nothing", async () => {
    const load = { writers: 2, threads: 3, batchSize: 4 };
    const report = await flushScripts({ flushes: 30, everyEntries: 24, load });
    expect(report.violations).toEqual([]);
    expect(report.figures).toEqual({ flushes: 30, duplicates: 0 });
  });
});
