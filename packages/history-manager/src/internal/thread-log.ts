import type { ExpectedVersion, HistoryEntry, ReadResult } from "@agent-history/core";
import { isHistoryError, throwIfAborted } from "@agent-history/core";

import type { HistoryManagerOptions } from "../history-manager-options.ts";
import { appendOnce } from "./append-once.ts";
import type { CitationNumbers } from "./citation-numbers.ts";
import { citationNumbers } from "./citation-numbers.ts";
import { countEntries } from "./count-entries.ts";
import { requireWritableIds } from "./instructions-id.ts";
import { knownEntries } from "./known-entries.ts";
import type { ScopeField } from "./scope-fields.ts";
import { requireOneBatch, splitBatches } from "./split-batches.ts";
import type { UnnumberedEntry } from "./unnumbered-entry.ts";
import { numberSources } from "./unnumbered-entry.ts";

/** The only way into the thread: writes in the order they were asked for, once by id, with numbers that were never given before. */
export interface ThreadLog {
  /** Keeps drafts and gives back what was kept. */
  readonly write: (
    drafts: readonly UnnumberedEntry[],
    options: WriteOptions,
  ) => Promise<readonly HistoryEntry[]>;
  /** Reads the log and keeps what is to follow it; reads again where another wrote in between. */
  readonly extend: (
    next: (read: ReadResult) => Promise<readonly UnnumberedEntry[]>,
    signal: AbortSignal | undefined,
  ) => Promise<readonly HistoryEntry[]>;
  /** Waits for the writes that were asked for until now, however they end. */
  readonly settled: () => Promise<void>;
}

/** How drafts are kept. */
export interface WriteOptions {
  /** All or none: refused where they are too many for one write. */
  readonly isAtomic: boolean;
  readonly start?: TurnStart | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What the first write of a turn expects of the thread; nothing after it. */
export interface TurnStart {
  expectedVersion: number | undefined;
}

/** Opens the log of a thread. Reads nothing yet. */
export function threadLog(options: HistoryManagerOptions): ThreadLog {
  const enqueue = serialQueue();
  const ledger = citationNumbers(options.store, options.threadId);
  return {
    settled: async () => enqueue(async () => {}),
    write: async (drafts, { isAtomic, start, signal }) => {
      requireWritableIds(drafts.map(({ entry }) => entry));
      if (isAtomic) requireOneBatch(drafts);
      return enqueue(async () => {
        throwIfAborted(signal);
        const written: HistoryEntry[] = [];
        for (const batch of splitBatches(drafts)) {
          const openOf = openIn(batch);
          const writing = { options, ledger, openOf, expected: start?.expectedVersion, signal };
          const kept = await writeBatch(batch, writing);
          if (start !== undefined) start.expectedVersion = undefined;
          for (const entry of kept) written.push(entry);
        }
        return written;
      });
    },
    extend: async (next, signal) =>
      enqueue(async () => {
        for (let tries = 1; ; tries++) {
          throwIfAborted(signal);
          const call = { originals: true, ...(signal && { signal }) };
          const read = await options.store.read(options.threadId, call);
          try {
            return await follow(read.version, await next(read), { options, ledger, signal });
          } catch (error) {
            if (!isHistoryError(error, "VERSION_CONFLICT") || tries >= MAX_TRIES) throw error;
          }
        }
      }),
  };
}

const MAX_TRIES = 20;

interface Writing {
  readonly options: HistoryManagerOptions;
  readonly ledger: CitationNumbers;
  readonly openOf: (entry: HistoryEntry) => readonly ScopeField[];
  /** The version that the thread must have. */
  readonly expected: number | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Keeps drafts that follow a version of the log. */
async function follow(
  version: number,
  drafts: readonly UnnumberedEntry[],
  writing: Pick<Writing, "options" | "ledger" | "signal">,
): Promise<readonly HistoryEntry[]> {
  const written: HistoryEntry[] = [];
  for (const batch of splitBatches(drafts)) {
    const entries = batch.map(({ entry }) => entry);
    const expected = version + written.length;
    const kept = await keep(entries, expected, { ...writing, openOf: openIn(batch), expected });
    for (const entry of kept) written.push(entry);
  }
  return written;
}

function openIn(drafts: readonly UnnumberedEntry[]): Writing["openOf"] {
  const open = new Map(drafts.map((draft) => [draft.entry.id, draft.open ?? []]));
  return ({ id }) => open.get(id) ?? [];
}

async function writeBatch(
  drafts: readonly UnnumberedEntry[],
  writing: Writing,
): Promise<readonly HistoryEntry[]> {
  const { ledger, signal, expected } = writing;
  const isNumbered = drafts.some(({ sources = [] }) => sources.length > 0);
  if (!isNumbered) {
    const entries = drafts.map(({ entry }) => entry);
    return keep(entries, expected ?? "any", writing);
  }
  if (ledger.version() === undefined) await ledger.sync(signal);
  for (;;) {
    const version = ledger.version() ?? 0;
    const numberOf = ledger.offer();
    const entries = drafts.map((draft) => numberSources(draft, numberOf));
    try {
      const kept = await keep(entries, expected ?? version, writing);
      // A second guard only: what was kept is kept, whether or not it can be set.
      await ledger.mark(signal).catch(ignore);
      return kept;
    } catch (error) {
      if (!isHistoryError(error, "VERSION_CONFLICT") || expected !== undefined) throw error;
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
    // A turn that began is begun again: the thread has moved on by its own first entries.
    const isBegun = isHistoryError(error, "VERSION_CONFLICT") && writing.expected !== undefined;
    if (!isBegun && !isHistoryError(error, "DUPLICATE_ID")) throw error;
    const known = await knownEntries(thread, entries, writing.openOf);
    if (known === undefined || known.size === 0) throw error;
    const missing = entries.filter(({ id }) => !known.has(id));
    if (isBegun && missing.length > 0) throw error;
    if (missing.length > 0) await keep(missing, expectedVersion, writing);
    return entries.map((entry) => known.get(entry.id) ?? entry);
  }
  if (written.duplicate) return entries;
  ledger.note(entries, written.version);
  onEntries?.(entries);
  return entries;
}

function ignore(): void {}

/** Runs one piece of work after the other, in the order they were asked for. One that fails does not stop the next. */
type SerialQueue = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Makes a {@link SerialQueue}. */
function serialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work);
    last = next;
    return next;
  };
}
