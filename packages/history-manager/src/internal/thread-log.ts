import { isHistoryError, throwIfAborted } from "@agent-history/core";
import type { ExpectedVersion, HistoryEntry } from "@agent-history/core";

import type { HistoryManagerOptions } from "../history-manager-options.ts";
import { appendOnce } from "./append-once.ts";
import { countEntries } from "./count-entries.ts";
import { numberDraft } from "./entry-draft.ts";
import type { EntryDraft } from "./entry-draft.ts";
import { knownEntries } from "./known-entries.ts";
import { serialQueue } from "./serial-queue.ts";
import { sourceLedger } from "./source-ledger.ts";
import type { SourceLedger } from "./source-ledger.ts";
import { requireOneBatch, splitBatches } from "./split-batches.ts";

/** The only way into the thread: writes in the order they were asked for, once by id, with numbers that were never given before. */
export interface ThreadLog {
  /** Keeps drafts and gives back what was kept. */
  readonly write: (
    drafts: readonly EntryDraft[],
    options: WriteOptions,
  ) => Promise<readonly HistoryEntry[]>;
  /** Waits for the writes that were asked for until now, however they end. */
  readonly settled: () => Promise<void>;
}

/** How drafts are kept. */
export interface WriteOptions {
  /** All or none: refused where they are too many for one write. */
  readonly isAtomic: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Opens the log of a thread. Reads nothing yet. */
export function threadLog(options: HistoryManagerOptions): ThreadLog {
  const enqueue = serialQueue();
  const ledger = sourceLedger(options.store, options.threadId);
  return {
    settled: async () => enqueue(async () => {}),
    write: async (drafts, { isAtomic, signal }) => {
      if (isAtomic) requireOneBatch(drafts);
      return enqueue(async () => {
        throwIfAborted(signal);
        const written: HistoryEntry[] = [];
        for (const batch of splitBatches(drafts)) {
          const kept = await writeBatch(batch, { options, ledger, signal });
          for (const entry of kept) written.push(entry);
        }
        return written;
      });
    },
  };
}

interface Writing {
  readonly options: HistoryManagerOptions;
  readonly ledger: SourceLedger;
  readonly signal: AbortSignal | undefined;
}

async function writeBatch(
  drafts: readonly EntryDraft[],
  writing: Writing,
): Promise<readonly HistoryEntry[]> {
  const { ledger, signal } = writing;
  const isNumbered = drafts.some(({ sources = [] }) => sources.length > 0);
  if (!isNumbered)
    return keep(
      drafts.map(({ entry }) => entry),
      "any",
      writing,
    );
  if (ledger.version() === undefined) await ledger.sync(signal);
  for (;;) {
    const version = ledger.version() ?? 0;
    const numberOf = ledger.offer();
    const entries = drafts.map((draft) => numberDraft(draft, numberOf));
    try {
      const kept = await keep(entries, version, writing);
      // A second guard only: what was kept is kept, whether or not it can be set.
      await ledger.mark(signal).catch(ignore);
      return kept;
    } catch (error) {
      if (!isHistoryError(error, "VERSION_CONFLICT")) throw error;
      await ledger.sync(signal);
      // Somebody else wrote: go on from there. A store that refuses without a reason is not asked for ever.
      if (ledger.version() === version) throw error;
    }
  }
}

/** Appends entries, but for those that an earlier try has kept. */
async function keep(
  entries: readonly HistoryEntry[],
  expectedVersion: ExpectedVersion,
  writing: Writing,
): Promise<readonly HistoryEntry[]> {
  const { options, ledger, signal } = writing;
  const { store, threadId, maxRetries = 2, onEntries } = options;
  const thread = { store, threadId, signal };
  const tokens = countEntries(entries, options.counter);
  const counted = tokens && { tokens: new Map([[options.counter.id, tokens]]) };
  const append = { ...thread, entries, expectedVersion, maxRetries, ...counted };
  let written;
  try {
    written = await appendOnce(append);
  } catch (error) {
    if (!isHistoryError(error, "DUPLICATE_ID")) throw error;
    const known = await knownEntries(thread, entries);
    if (known === undefined || known.size === 0) throw error;
    const missing = entries.filter(({ id }) => !known.has(id));
    if (missing.length > 0) await keep(missing, expectedVersion, writing);
    return entries.map((entry) => known.get(entry.id) ?? entry);
  }
  if (written.duplicate) return entries;
  ledger.note(entries, written.version);
  onEntries?.(entries);
  return entries;
}

function ignore(): void {}
