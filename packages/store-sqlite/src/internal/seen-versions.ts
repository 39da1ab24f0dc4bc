import { HistoryError } from "@agent-history/core";

/** The versions that a handle has seen of its threads: they never fall, unless somebody put an older file instead of this one. */
export interface SeenVersions {
  /** Throws `HISTORY_REWOUND` where a thread is shorter than it was. */
  readonly check: (threadId: string, version: number) => void;
  /** Remembers what a verb that succeeded has seen. */
  readonly note: (threadId: string, version: number) => void;
}

/** How many threads are remembered; those used last. */
const MOST = 10_000;

/** Begins without any. */
export function seenVersions(): SeenVersions {
  const seen = new Map<string, number>();
  return {
    check: (threadId, version) => {
      const expected = seen.get(threadId) ?? 0;
      if (version >= expected) return;
      throw new HistoryError(
        `The thread has ${version} entries; this handle has seen ${expected}. The file was replaced by an older one. Open another handle to continue from there.`,
        { code: "HISTORY_REWOUND", details: { expected, actual: version } },
      );
    },
    note: (threadId, version) => {
      const known = seen.get(threadId) ?? 0;
      seen.delete(threadId);
      seen.set(threadId, Math.max(known, version));
      const [oldest] = seen.size > MOST ? seen.keys() : [];
      if (oldest !== undefined) seen.delete(oldest);
    },
  };
}
