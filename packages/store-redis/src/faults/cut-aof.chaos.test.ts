import { expect, it } from "vitest";

import { describeWithRedis } from "../../test-support/describe-with-redis.ts";
import { cutAof } from "../../test-support/faults/cut-aof.ts";
import { randomFrom } from "../../test-support/faults/random-from.ts";

await describeWithRedis("redisStore on an append-only file that was cut", () => {
  it("finds every thread whole, wherever the cut is", async () => {
    const load = { writers: 1, threads: 4, batchSize: 7, batches: 20 };
    const report = await cutAof({ load, cuts: 25, random: randomFrom(25) });
    expect(report.violations).toEqual([]);
    expect(report.figures["cut off"]).toBeGreaterThan(0);
  });
});
