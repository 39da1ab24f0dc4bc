import { describeRedisStore } from "../../test-support/conformance.ts";
import { describeWithRedis } from "../../test-support/describe-with-redis.ts";
import { startRedisCluster } from "../../test-support/servers/start-redis-cluster.ts";
import type { RedisCluster } from "../../test-support/servers/start-redis-cluster.ts";

await describeWithRedis("redis-server as a cluster", () => {
  let cluster: RedisCluster | undefined;
  describeRedisStore("redisStore on three nodes", {
    address: async () => {
      cluster = await startRedisCluster();
      return { urls: cluster.urls };
    },
    stop: async () => cluster?.stop(),
    runs: 4,
  });
});
