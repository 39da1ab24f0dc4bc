import type { HistoryStore } from "@agent-history/core";

import { openStore } from "./internal/open-store.ts";
import type { RedisStoreOptions } from "./redis-store-options.ts";

/**
 * Makes a store that keeps threads in Redis or Redis Cluster, for any number of processes.
 *
 * A batch is written whole or not at all, once by the ids of its entries; a call that fails says whether it was not sent, was
 * rejected, or may have been done. What survives a crash is what the server keeps: ask `describe()`.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if an option can never work, `MISSING_PACKAGE` for a client of `redis` 4. The first call of a verb throws
 * `STORE_MISCONFIGURED` where the server may delete history to make room; it is asked again once a minute.
 *
 * @example
 * ```ts no-run
 * import { userMessage } from "@agent-history/core";
 * import { redisStore } from "@agent-history/store-redis";
 * import { createClient } from "redis";
 *
 * const client = createClient();
 * client.on("error", (error) => console.error(error));
 * await client.connect();
 * const store = redisStore({ client, namespace: "my-app" });
 * await store.append("thread-1", [userMessage({ content: "Hello" })]);
 * ```
 */
export function redisStore(options: RedisStoreOptions): HistoryStore {
  return openStore(options);
}
