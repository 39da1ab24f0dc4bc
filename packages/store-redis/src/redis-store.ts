import { countOption, HistoryError } from "@agent-history/core";
import type { ErasureRemains, HistoryStore } from "@agent-history/core";
import { threadStore } from "@agent-history/store-kit";
import type { CommonStoreOptions } from "@agent-history/store-kit";

import type { RedisClient } from "./redis-client.ts";
import { redisDriver } from "./redis-driver.ts";
import { redisLink } from "./redis-link.ts";
import { describeServers, readServerFacts, serverCheck } from "./redis-server.ts";

/** Options of `redisStore`. */
export interface RedisStoreOptions extends CommonStoreOptions {
  /** A connected client of `redis` 6 or 5: `createClient`, `createClientPool`, `createSentinel` or `createCluster`. The caller closes it. */
  readonly client: RedisClient;
  /** Separates the threads of one application or tenant from all others on the server. Any non-empty text. */
  readonly namespace: string;
  /** A thread expires after this time without a write, in milliseconds. Default: never. */
  readonly ttlMs?: number | undefined;
  /** How many replicas must confirm a write before it is acknowledged. Default 0. Use a client pool so that the wait does not block other calls. */
  readonly replicas?: number | undefined;
  /** Time limit for a round trip to the server including retries, in milliseconds. Default 5000. */
  readonly timeoutMs?: number | undefined;
  /** Accepts a server that evicts keys when memory is short. Default `false`. */
  readonly allowEviction?: boolean | undefined;
}

/** The server's timers cannot wait longer for replicas. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

/**
 * Makes a store that keeps threads in Redis or Redis Cluster, for any number of processes.
 *
 * Batches are atomic, and idempotent by the ids of their entries. The error of a failed call states whether it was not sent, was
 * rejected, or may have been applied. What survives a crash depends on the server: see `describe()`.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if an option can never work, `MISSING_PACKAGE` for a client of `redis` 4. Methods throw
 * `STORE_MISCONFIGURED` if the server may evict history to free memory; checked at the first call and then once a minute.
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

/** Where a server may still contain deleted keys. */
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
