import { describeRedisStore } from "../../test-support/conformance.ts";
import { startJsRedisServer } from "../../test-support/servers/start-js-redis-server.ts";
import type { JsRedisServer } from "../../test-support/servers/start-js-redis-server.ts";

let server: JsRedisServer | undefined;

// A command takes milliseconds here: few runs and no long tests, so that a machine without any server still tests something.
describeRedisStore("redisStore on js-redis-server", {
  address: async () => {
    server = await startJsRedisServer();
    return { urls: [server.url] };
  },
  stop: async () => server?.stop(),
  runs: 2,
  hasLongTests: false,
});
