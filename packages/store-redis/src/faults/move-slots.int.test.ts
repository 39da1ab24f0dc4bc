import { expect, it } from "vitest";

import { describeWithRedis } from "../../test-support/describe-with-redis.ts";
import { moveSlots } from "../../test-support/faults/move-slots.ts";

await describeWithRedis("redisStore on a cluster whose slots move", () => {
  it("writes on without an error to the caller", async () => {
    const load = { writers: 2, threads: 4, lanes: 2, batchSize: 3 };
    const report = await moveSlots({ load, rounds: 3, slots: 2, warmUp: 100 });
    expect(report.violations).toEqual([]);
    expect(report.figures["keys"]).toBeGreaterThan(20);
  });
});
