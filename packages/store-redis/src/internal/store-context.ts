import type { Known } from "./known-threads.ts";
import type { NewestIndex } from "./newest-index.ts";
import type { Operation } from "./operation.ts";
import type { ReadEnds } from "./read-ahead.ts";
import type { RedisLink } from "./redis-link.ts";
import type { ShortLimits } from "./short-thread.ts";
import type { ThreadIndex } from "./thread-index.ts";

/** What the verbs of one store share. */
export interface StoreContext {
  readonly link: RedisLink;
  readonly namespace: string;
  readonly timeoutMs: number;
  /** `undefined`: threads do not expire. */
  readonly ttlMs: number | undefined;
  readonly replicas: number;
  readonly shortLimits: ShortLimits;
  readonly newId: () => string;
  readonly known: Known;
  readonly ends: ReadEnds;
  readonly index: ThreadIndex;
  readonly newest: NewestIndex;
  readonly isClosed: () => boolean;
  /** Looks at the server before the first use, and refuses one that may lose history. */
  readonly requireServer: (operation: Operation) => Promise<void>;
}
