import { boundedMap } from "@agent-history/store-kit/indexed";
import type { BoundedMap } from "@agent-history/store-kit/indexed";

/** What a handle remembers of a thread that it wrote to, to write again in one round trip. The server compares it. */
export interface KnownThread {
  readonly head: string | undefined;
  readonly facts: BoundedMap<string>;
}

/** Threads and facts of each: those used last. */
const MOST_THREADS = 1000;
const MOST_FACTS = 200;

/** A thread that nothing is known of: taken for a new one. */
export function unknownThread(): KnownThread {
  return { head: undefined, facts: boundedMap(MOST_FACTS) };
}

/** Begins without any. */
export function knownThreads(): BoundedMap<KnownThread> {
  return boundedMap(MOST_THREADS);
}
