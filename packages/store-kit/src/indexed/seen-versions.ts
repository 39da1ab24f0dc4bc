import { HistoryError } from "@agent-history/core";

import { boundedMap } from "./bounded-map.ts";

/** The versions that a handle has seen of its threads: they never fall, unless a backup or a failover brought older data back. */
export interface SeenVersions {
  /** The highest version that was seen; 0 for none. */
  readonly of: (threadId: string) => number;
  /** Throws `HISTORY_REWOUND` where a thread is at a lower version than it was: than `expected`, which is what was seen when the question was sent. Default: by now. */
  readonly check: (threadId: string, version: number, expected?: number) => void;
  /** Remembers what a verb that succeeded has seen. */
  readonly note: (threadId: string, version: number) => void;
}

/** How many threads are remembered; those used last. */
const MOST = 10_000;

/** Begins without any. */
export function seenVersions(): SeenVersions {
  const seen = boundedMap<number>(MOST);
  const of = (threadId: string): number => seen.get(threadId) ?? 0;
  return {
    of,
    check: (threadId, version, expected = of(threadId)) => {
      if (version >= expected) return;
      throw new HistoryError(
        `The thread is at version ${version}; this handle has seen ${expected}. Older data came back, as from a backup. Open another handle to continue from there.`,
        { code: "HISTORY_REWOUND", details: { expected, actual: version } },
      );
    },
    note: (threadId, version) => seen.set(threadId, Math.max(of(threadId), version)),
  };
}
