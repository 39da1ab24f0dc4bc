import { isHistoryError } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

import { appendOnce } from "./append-once.ts";
import { knownEntries } from "./known-entries.ts";
import type { ManagedThread } from "./managed-thread.ts";
import { splitBatches } from "./split-batches.ts";

type Tokens = readonly (readonly [counterId: string, count: number])[];

/** Collects entries until a store takes no more at once, so that a long import needs little memory. */
export interface ImportBatch {
  readonly add: (entry: HistoryEntry, tokens: Tokens) => Promise<void>;
  readonly flush: () => Promise<void>;
  /** How many entries the thread has been given. */
  readonly kept: () => number;
}

/** Entries of an import are looked at in lots of this many. */
const LOT = 500;

/** Begins with an empty thread, or with one that an earlier try of the same import has begun. */
export function importBatch(thread: ManagedThread, signal: AbortSignal | undefined): ImportBatch {
  let lot: { readonly entry: HistoryEntry; readonly tokens: Tokens }[] = [];
  let kept = 0;

  async function flush(): Promise<void> {
    const tokensOf = new Map(lot.map(({ entry, tokens }) => [entry, tokens]));
    const batches = splitBatches(lot.map(({ entry }) => ({ entry })));
    lot = [];
    for (const batch of batches) {
      const entries = batch.map(({ entry }) => entry);
      await appendNew({ entries, tokensOf, version: kept }, thread, signal);
      kept += entries.length;
    }
  }

  return {
    add: async (entry, tokens) => {
      lot.push({ entry, tokens });
      if (lot.length >= LOT) await flush();
    },
    flush,
    kept: () => kept,
  };
}

interface NewEntries {
  readonly entries: readonly HistoryEntry[];
  readonly tokensOf: ReadonlyMap<HistoryEntry, Tokens>;
  /** What the thread's version is before them. Any other writer gets an error: an import is not a merge. */
  readonly version: number;
}

/** Appends entries, but for those that an earlier try has kept. */
async function appendNew(
  { entries, tokensOf, version }: NewEntries,
  thread: ManagedThread,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { store, threadId, maxRetries = 2 } = thread.options;
  const tokens = sharedTokens(entries.map((entry) => tokensOf.get(entry) ?? []));
  const append = { store, threadId, entries, expectedVersion: version, tokens, maxRetries, signal };
  try {
    await appendOnce(append);
  } catch (error) {
    if (!isHistoryError(error, "DUPLICATE_ID")) throw error;
    const known = await knownEntries({ store, threadId, signal }, entries);
    const count = known?.size ?? 0;
    const missing = entries.slice(count);
    if (count === 0 || missing.some(({ id }) => known?.has(id))) throw error;
    await appendNew({ entries: missing, tokensOf, version: version + count }, thread, signal);
  }
}

/** The counts of those counters that have counted every entry. */
function sharedTokens(counts: readonly Tokens[]): ReadonlyMap<string, readonly number[]> {
  const byCounter = new Map<string, number[]>();
  for (const [counterId, count] of counts.flat()) {
    const known = byCounter.get(counterId) ?? [];
    known.push(count);
    byCounter.set(counterId, known);
  }
  return new Map([...byCounter].filter(([, each]) => each.length === counts.length));
}
