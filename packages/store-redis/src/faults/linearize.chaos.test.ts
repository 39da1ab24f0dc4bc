import { expect, it } from "vitest";

import { describeWithRedis } from "../../test-support/describe-with-redis.ts";
import { linearize } from "../../test-support/faults/linearize.ts";
import { randomFrom } from "../../test-support/faults/random-from.ts";

await describeWithRedis("redisStore's state, where requests and answers are lost", () => {
  it("was written and read in one order, whatever the callers were told", async () => {
    const { figures, violations } = await linearize({ histories: 10, random: randomFrom(1) });
    expect(violations).toEqual([]);
    expect(figures["cuts"]).toBeGreaterThan(0);
  });
});
