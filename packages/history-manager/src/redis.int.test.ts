import { afterAll } from "vitest";

import { describeWithRedis } from "../../store-redis/test-support/describe-with-redis.ts";
import { startRedisServer } from "../../store-redis/test-support/servers/start-redis-server.ts";
import type { RedisServer } from "../../store-redis/test-support/servers/start-redis-server.ts";
import { describeDoubleSends } from "../test-support/describe-double-sends.ts";
import type { StoreAddress } from "../test-support/open-test-store.ts";

await describeWithRedis("a manager on Redis", () => {
  let server: Promise<RedisServer> | undefined;
  let locations = 0;
  const newAddress = async (): Promise<StoreAddress> => {
    server ??= startRedisServer();
    const { url } = await server;
    return { kind: "redis", url, namespace: `place-${(locations += 1)}` };
  };
  afterAll(async () => (await server)?.stop());

  describeDoubleSends("redisStore", newAddress);
});
