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
  /** How long a call may take, in milliseconds, its retries included; one that reads a long thread in many rounds has this for each round. Default 5000. */
  readonly timeoutMs?: number | undefined;
  /** Accepts a server that deletes keys when memory is short. Default `false`. */
  readonly allowEviction?: boolean | undefined;
  /** How many threads a handle remembers, to write without asking and to notice lost writes. Default 10,000. */
  readonly rememberedThreads?: number | undefined;
  /** Makes a name for what a fork prepares. Default `crypto.randomUUID`. */
  readonly newId?: (() => string) | undefined;
}
