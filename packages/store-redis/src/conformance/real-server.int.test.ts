import { afterAll } from "vitest";

import { describeRedisStore } from "../../test-support/conformance.ts";
import { describeGivenServer } from "../../test-support/describe-given-server.ts";
import { describeWithRedis } from "../../test-support/describe-with-redis.ts";
import { startRedisServer } from "../../test-support/servers/start-redis-server.ts";
import type { RedisServer } from "../../test-support/servers/start-redis-server.ts";

/** More runs of each property on demand: `STORE_RUNS=1000`. */
const runs = (usual: number): number => Number(process.env["STORE_RUNS"] ?? usual);

await describeWithRedis("redis-server", () => {
  let server: Promise<RedisServer> | undefined;
  const urls = async (): Promise<readonly string[]> => {
    server ??= startRedisServer();
    return [(await server).url];
  };
  afterAll(async () => (await server)?.stop());
  const kinds = [
    ["redisStore by RESP3", runs(25), { protocol: 3 }],
    ["redisStore by RESP2", runs(4), { protocol: 2 }],
    ["redisStore by a pool", runs(4), { kind: "pool" }],
    ["redisStore by redis@5", runs(4), { kind: "client5" }],
  ] as const;
  for (const [name, times, kind] of kinds) {
    describeRedisStore(name, {
      address: async () => ({ urls: await urls(), ...kind }),
      runs: times,
      prefix: `${name.replaceAll(/\W/gu, "-")}-`,
    });
  }
});

const given = process.env["REDIS_URL"];
// A server that was given is not this test's own: it gets the suite and nothing else.
if (given !== undefined) describeGivenServer(given);
