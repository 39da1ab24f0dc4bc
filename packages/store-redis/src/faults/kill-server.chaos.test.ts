import { expect, it } from "vitest";

import { describeWithRedis } from "../../test-support/describe-with-redis.ts";
import { killServer } from "../../test-support/faults/kill-server.ts";

await describeWithRedis("redisStore on a server that is killed", () => {
  const load = { writers: 2, threads: 4, lanes: 2, batchSize: 5 };

  it.for(["always", "no"] as const)(
    "loses, doubles and tears nothing that was acknowledged, with fsync %s",
    async (appendfsync) => {
      const report = await killServer({ appendfsync, load, kills: 2, entries: 2000 });
      expect(report.violations).toEqual([]);
      expect(report.audit.acknowledged).toBeGreaterThanOrEqual(2000);
    },
  );
});
