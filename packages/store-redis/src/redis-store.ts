import type { HistoryStore } from "@agent-history/core";

import { openStore } from "./internal/open-store.ts";
import type { RedisClient } from "./redis-client.ts";

/** How a store works. */
export interface RedisStoreOptions {
  /** A connected client of `redis` 6 or 5: `createClient`, `createClientPool`, `createSentinel` or `createCluster`. Whoever made it closes it. */
  readonly client: RedisClient;
  /** Keeps the threads of one application, or of one tenant, from all others on the server. Any text but the empty one. */
  readonly namespace: string;
  /** After this many milliseconds without a write a thread expires, together with its forks. Default: never. */
  readonly ttlMs?: number | undefined;
  /** How many replicas must have a write before it is acknowledged. Default 0. A client pool keeps the wait from other calls. */
  readonly replicas?: number | undefined;
  /** How long a call may take, in milliseconds, its retries included. Default 5000. */
  readonly timeoutMs?: number | undefined;
  /** Accepts a server that deletes keys when memory is short. Default `false`. */
  readonly allowEviction?: boolean | undefined;
  /** How many threads a handle remembers, to write without asking and to notice lost writes. Default 10,000. */
  readonly rememberedThreads?: number | undefined;
  /** Makes a name for what a fork prepares. Default `crypto.randomUUID`. */
  readonly newId?: (() => string) | undefined;
}

/**
 * Makes a store that keeps threads in Redis or Redis Cluster, for any number of processes.
 *
 * A batch is written whole or not at all, once by the ids of its entries; a call that fails says whether it was not sent, was
 * rejected, or may have been done. What survives a crash is what the server keeps: ask `describe()`.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if an option can never work. The first call of a verb throws
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
