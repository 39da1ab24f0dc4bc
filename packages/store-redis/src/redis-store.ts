import { countOption, HistoryError } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";

import { appendVerb } from "./internal/append-verb.ts";
import { compactionVerbs } from "./internal/compaction-verbs.ts";
import { deleteVerb } from "./internal/delete-verb.ts";
import { forkVerb } from "./internal/fork-verb.ts";
import { inspectVerbs } from "./internal/inspect-verbs.ts";
import { nothingKnown } from "./internal/known-threads.ts";
import { withDeadline } from "./internal/operation.ts";
import type { Operation } from "./internal/operation.ts";
import { readVerb } from "./internal/read-verb.ts";
import { redisLink } from "./internal/redis-link.ts";
import { requireSoundServer } from "./internal/require-sound-server.ts";
import { readServerFacts } from "./internal/server-facts.ts";
import { stateVerbs } from "./internal/state-verbs.ts";
import type { StoreContext } from "./internal/store-context.ts";
import { threadIndex } from "./internal/thread-index.ts";
import type { RedisClient } from "./redis-client.ts";

/** How a store works. */
export interface RedisStoreOptions {
  /** A connected client of `redis` 6 or 5: `createClient`, `createClientPool`, `createSentinel` or `createCluster`. Whoever made it closes it. */
  readonly client: RedisClient;
  /** Keeps the threads of one application, or of one tenant, from all others on the server. Any text but the empty one. */
  readonly namespace: string;
  /** After so many milliseconds without a write a thread expires, together with its forks. Default: never. */
  readonly ttlMs?: number;
  /** How many replicas must have a write before it is acknowledged. Default 0. A client pool keeps the wait from other calls. */
  readonly replicas?: number;
  /** How long a call may take, in milliseconds, its retries included. Default 5000. */
  readonly timeoutMs?: number;
  /** Accepts a server that deletes keys when memory is short. Default `false`. */
  readonly allowEviction?: boolean;
  /** How many threads a handle remembers, to write without asking and to notice lost writes. Default 10,000. */
  readonly rememberedThreads?: number;
  /** Makes a name for what a fork prepares. Default `crypto.randomUUID`. */
  readonly newId?: () => string;
}

/**
 * Makes a store that keeps threads in Redis or Redis Cluster, for any number of processes.
 *
 * A batch is written whole or not at all, once by the ids of its entries; a call that fails says whether it was not sent, was
 * rejected, or may have been done. What survives a crash is what the server keeps: ask `describe()`.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` where an option can never work. The first call of a verb throws
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
  let closed = false;
  const context = contextOf(options, () => closed);
  const { append, idle } = appendVerb(context);
  return {
    append,
    read: readVerb(context),
    ...compactionVerbs(context),
    ...stateVerbs(context),
    fork: forkVerb(context),
    delete: deleteVerb(context),
    ...inspectVerbs(context),
    close: async () => {
      closed = true;
      await idle();
    },
  };
}

function contextOf(options: RedisStoreOptions, isClosed: () => boolean): StoreContext {
  const { client, namespace, ttlMs, allowEviction = false } = options;
  if (typeof namespace !== "string" || namespace === "") {
    throw invalidOption("namespace", "a text of one character or more");
  }
  if (typeof client?.sendCommand !== "function") {
    throw invalidOption("client", "a client of the package `redis`, version 5 or 6");
  }
  const timeoutMs = positive("timeoutMs", options.timeoutMs ?? 5000);
  const size = positive("rememberedThreads", options.rememberedThreads ?? 10_000);
  const link = redisLink(client);
  return {
    link,
    namespace,
    timeoutMs,
    ttlMs: ttlMs === undefined || ttlMs === Infinity ? undefined : positive("ttlMs", ttlMs),
    replicas: finite("replicas", options.replicas ?? 0),
    newId: options.newId ?? (() => crypto.randomUUID()),
    known: nothingKnown(size),
    index: threadIndex(link, namespace, size),
    isClosed,
    requireServer: fromTimeToTime(async () => {
      const look = (operation: Operation) => readServerFacts(link, operation);
      requireSoundServer(await withDeadline({ timeoutMs }, look), { allowEviction });
    }),
  };
}

/** How long a server is trusted to be as it was found, in milliseconds: its settings can be changed while it runs. */
const TRUSTED_MS = 60_000;

/** Looks for all calls, the first time and then once a minute; again where the look failed. */
function fromTimeToTime(look: () => Promise<void>): StoreContext["requireServer"] {
  let looked: Promise<void> | undefined;
  let lookedAtMs = -Infinity;
  const lookOnce = (): Promise<void> => {
    const now = performance.now();
    if (now - lookedAtMs > TRUSTED_MS) {
      looked = undefined;
      lookedAtMs = now;
    }
    looked ??= look().catch((error: unknown) => {
      looked = undefined;
      throw error;
    });
    return looked;
  };
  return (operation) => operation.read(lookOnce);
}

function positive(name: string, value: unknown): number {
  const count = countOption(name, value);
  if (count > 0) return count;
  throw invalidOption(name, "1 or more");
}

function finite(name: string, value: unknown): number {
  const count = countOption(name, value);
  if (count < Infinity) return count;
  throw invalidOption(name, "a number that is reached");
}

function invalidOption(option: string, expected: string): HistoryError {
  return new HistoryError(`Expected \`${option}\` to be ${expected}.`, {
    code: "INVALID_OPTION",
    details: { option },
  });
}
