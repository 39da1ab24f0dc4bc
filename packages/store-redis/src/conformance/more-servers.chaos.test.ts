import { afterAll } from "vitest";

import { describeRedisStore } from "../../test-support/conformance.ts";
import { describeWithRedis } from "../../test-support/describe-with-redis.ts";
import { startRedisServer } from "../../test-support/servers/start-redis-server.ts";
import type { RedisServer } from "../../test-support/servers/start-redis-server.ts";

await describeWithRedis("redis-server", () => {
  let server: Promise<RedisServer> | undefined;
  const urls = async (): Promise<readonly string[]> => {
    server ??= startRedisServer();
    return [(await server).url];
  };
  afterAll(async () => (await server)?.stop());
  const kinds = [
    ["redisStore by RESP3", 25, { protocol: 3 }],
    ["redisStore by RESP2", 4, { protocol: 2 }],
    ["redisStore by a pool", 4, { kind: "pool" }],
    ["redisStore by redis@5", 4, { kind: "client5" }],
  ] as const;
  for (const [nth, [name, times, kind]] of kinds.entries()) {
    describeRedisStore(name, {
      address: async () => ({ urls: await urls(), ...kind }),
      runs: times,
      // The others differ in how they send commands, which a hundred show as well as a thousand.
      hasLongTests: nth === 0,
      prefix: `${name.replaceAll(/\W/gu, "-")}-`,
    });
  }
});

// The newer servers differ in what a script, a stream and WAIT do.
for (const server of ["redis-8", "valkey-8"] as const) {
  await describeWithRedis(
    "redisStore",
    () => {
      let running: RedisServer | undefined;
      describeRedisStore(`redisStore on ${server}`, {
        address: async () => {
          running = await startRedisServer({ server });
          return { urls: [running.url] };
        },
        stop: async () => running?.stop(),
        runs: 2,
        hasLongTests: false,
      });
    },
    server,
  );
}
