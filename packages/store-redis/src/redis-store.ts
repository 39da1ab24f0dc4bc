import { countOption, HistoryError } from "@agent-history/core";
import type { ErasureRemains, HistoryStore } from "@agent-history/core";
import { threadStore } from "@agent-history/store-kit";
import type { CommonStoreOptions } from "@agent-history/store-kit";

import type { RedisClient } from "./redis-client.ts";
import { redisDriver } from "./redis-driver.ts";
import { redisLink } from "./redis-link.ts";
import { describeServers, readServerFacts, serverCheck } from "./redis-server.ts";

/** How a store works. */
export interface RedisStoreOptions extends CommonStoreOptions {
  /** A connected client of `redis` 6 or 5: `createClient`, `createClientPool`, `createSentinel` or `createCluster`. Whoever made it closes it. */
  readonly client: RedisClient;
  /** Keeps the threads of one application, or of one tenant, from all others on the server. Any text but the empty one. */
  readonly namespace: string;
  /** After this many milliseconds without a write a thread expires. Default: never. */
  readonly ttlMs?: number | undefined;
  /** How many replicas must have a write before it is acknowledged. Default 0. A client pool keeps the wait from other calls. */
  readonly replicas?: number | undefined;
  /** How long a round to the server may take with its retries, in milliseconds. Default 5000. */
  readonly timeoutMs?: number | undefined;
  /** Accepts a server that deletes keys when memory is short. Default `false`. */
  readonly allowEviction?: boolean | undefined;
}

/** Longer waits for replicas are given up by the server's timers. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

/**
 * Makes a store that keeps threads in Redis or Redis Cluster, for any number of processes.
 *
 * A batch is written whole or not at all, once by the ids of its entries; a call that fails says whether it was not sent, was
 * rejected, or may have been done. What survives a crash is what the server keeps: ask `describe()`.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if an option can never work, `MISSING_PACKAGE` for a client of `redis` 4. The first call of a verb throws
 * `STORE_MISCONFIGURED` if the server may delete history to make room; it is asked again once a minute.
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
  const { client, namespace, ttlMs, allowEviction = false } = options;
  if (typeof namespace !== "string" || namespace === "")
    throw invalid("namespace", "a non-empty string");
  const timeoutMs = countOption("timeoutMs", options.timeoutMs ?? 5000);
  if (timeoutMs === 0) throw invalid("timeoutMs", "a positive number");
  const replicas = countOption("replicas", options.replicas ?? 0);
  if (replicas === Infinity) throw invalid("replicas", "a number of replicas");
  if (ttlMs !== undefined && !(Number.isSafeInteger(ttlMs) && ttlMs > 0))
    throw invalid("ttlMs", "a positive number of milliseconds");
  const link = redisLink(client);
  const driver = redisDriver({
    link,
    namespace,
    ttlMs,
    replicas,
    replicasTimeoutMs: Math.min(LONGEST_WAIT_MS, Math.ceil(timeoutMs / 2)),
    requireServer: serverCheck(link, allowEviction),
  });
  return threadStore(driver, {
    ...options,
    scope: "@agent-history/store-redis",
    system: "redis",
    timeoutMs,
    mayExpire: ttlMs !== undefined,
    remains: async () => REMAINS,
    describe: async () =>
      describeServers(await readServerFacts(link, undefined), { namespace, replicas }),
  });
}

/** What a server may hold of keys that are gone. */
const REMAINS: readonly ErasureRemains[] = [
  { where: "append-only file, until it is rewritten", clear: "BGREWRITEAOF" },
  { where: "RDB file, until the next one is saved", clear: "BGSAVE" },
  { where: "log of slow commands", clear: "SLOWLOG RESET" },
];

function invalid(option: string, expected: string): HistoryError {
  return new HistoryError(`Expected \`${option}\` to be ${expected}.`, {
    code: "INVALID_OPTION",
    details: { option },
  });
}
