import { describeWithRedis } from "../../../testkit/test-support/servers/describe-with-server.ts";
import { startRedis } from "../../../testkit/test-support/servers/start-redis.ts";
import type { RedisServer } from "../../../testkit/test-support/servers/start-redis.ts";
import { describeRedisStore } from "../../test-support/conformance.ts";
import { describeGivenServer } from "../../test-support/describe-given-server.ts";

// Other clients, protocols and servers are tried by `chaos --tests`.
await describeWithRedis("redisStore", () => {
  let server: RedisServer | undefined;
  describeRedisStore("redisStore by RESP3", {
    address: async () => {
      server = await startRedis();
      return { urls: [server.url], protocol: 3 };
    },
    stop: async () => server?.[Symbol.asyncDispose](),
    // Longer ones run by `chaos --tests`.
    runs: 5,
    hasLongTests: false,
  });
});

const given = process.env["REDIS_URL"];
// A server that was given is not this test's own: it gets the suite and nothing else.
if (given !== undefined) describeGivenServer(given);
