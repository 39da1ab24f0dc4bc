import type { ErasureReceipt, ErasureRemains, Retention } from "@agent-history/core";

import type { ThreadCounts } from "./delete-thread.ts";
import type { ThreadAccess } from "./thread-access.ts";

/** What an erasure works with. */
export interface Erasing {
  readonly access: ThreadAccess;
  /** Runs a write to a thread after those before it. */
  readonly inOrder: (threadId: string, write: () => Promise<void>) => Promise<void>;
  readonly store: string;
  readonly retention: Retention;
  /** Clears what the engine can clear by itself, and says what may remain. */
  readonly remains: () => Promise<readonly ErasureRemains[]>;
}

export const NONE: ThreadCounts = { threads: 0, entries: 0, summaries: 0, states: 0 };

/** Adds what was found. */
export function sumOf(one: ThreadCounts, other: ThreadCounts): ThreadCounts {
  return {
    threads: one.threads + other.threads,
    entries: one.entries + other.entries,
    summaries: one.summaries + other.summaries,
    states: one.states + other.states,
  };
}

/** Says what was erased. */
export async function receiptOf(
  { access, store, remains }: Erasing,
  erasure: ErasureReceipt["erasure"],
  counts: ThreadCounts,
  dryRun: boolean,
): Promise<ErasureReceipt> {
  const left = dryRun ? [] : await remains();
  return { erasure, store, atMs: access.now(), dryRun, ...counts, remains: left };
}
