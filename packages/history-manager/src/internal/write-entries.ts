import { HistoryError, isHistoryError, sameJson, throwIfAborted } from "@agent-history/core";
import type {
  AsyncTokenCounter,
  ExpectedVersion,
  GlobalObservationEntry,
  HistoryEntry,
  ObservationEntry,
  ReadResult,
  Source,
  TokenCounter,
} from "@agent-history/core";

import type { HistoryManagerOptions } from "../history-manager-options.ts";
import type { UnnumberedSource } from "../tool-call-result.ts";
import { citationNumbers } from "./citation-numbers.ts";
import type { CitationNumbers } from "./citation-numbers.ts";
import { requireWritableIds } from "./instructions-id.ts";
import type { ScopeField } from "./scope-fields.ts";

/** An entry to write. New sources get their numbers when it is written. */
export type Draft = (
  | { readonly entry: HistoryEntry; readonly sources?: undefined }
  | {
      readonly entry: ObservationEntry | GlobalObservationEntry;
      readonly sources: readonly UnnumberedSource[];
    }
) & {
  /** The fields that the caller left out, for the scope to fill in: a retry may come from another scope. */
  readonly open?: readonly ScopeField[];
};

/** The only way into a thread: writes in the order of the calls, each id once, and citation numbers that were never given before. */
export interface ThreadLog {
  /** Writes drafts and returns the entries as they are stored. */
  readonly write: (
    drafts: readonly Draft[],
    options: WriteOptions,
  ) => Promise<readonly HistoryEntry[]>;
  /** Reads the log and writes what `next` returns for it; reads again if another process wrote in between. */
  readonly extend: (
    next: (read: ReadResult) => LogChange,
    signal: AbortSignal | undefined,
  ) => Promise<readonly HistoryEntry[]>;
  /** Waits for the writes that were called before, however they end. */
  readonly settled: () => Promise<void>;
}

/** What follows a log; `from` is the id of the first entry that it replaces. */
export interface LogChange {
  readonly drafts: readonly Draft[];
  readonly from?: string | undefined;
  /** Names a replacement, so that a retry is known. */
  readonly operationId: string;
}

export interface WriteOptions {
  /** All or none: refused if they are too many for one write. */
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
          const writing = { options, ledger, expected: start?.expectedVersion, signal };
          const stored = await writeBatch(batch, writing);
          if (start !== undefined) start.expectedVersion = undefined;
          for (const entry of stored) written.push(entry);
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
            return await follow(read, next(read), { options, ledger, expected: undefined, signal });
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
  /** The version that the thread must have. */
  readonly expected: number | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Writes what follows a version of the log, or replaces its end. */
async function follow(
  { version }: ReadResult,
  { drafts, from, operationId }: LogChange,
  writing: Writing,
): Promise<readonly HistoryEntry[]> {
  const written: HistoryEntry[] = [];
  let expected = version;
  let replaces = from;
  for (const batch of splitBatches(drafts)) {
    const entries = batch.map(({ entry }) => entry);
    if (replaces === undefined) {
      for (const entry of await store(batch, entries, expected, writing)) written.push(entry);
      expected += entries.length;
      continue;
    }
    const { store: threads, threadId, maxRetries = 2, onEntries } = writing.options;
    const { signal } = writing;
    const change = { from: replaces, expectedVersion: expected, replacement: entries, operationId };
    const replace = async () =>
      threads.replaceSuffix(threadId, { ...change, ...(signal && { signal }) });
    expected = (await retried(replace, entries, { maxRetries, signal })).version;
    onEntries?.(entries);
    for (const entry of entries) written.push(entry);
    replaces = undefined;
  }
  return written;
}

async function writeBatch(
  drafts: readonly Draft[],
  writing: Writing,
): Promise<readonly HistoryEntry[]> {
  const { ledger, signal, expected } = writing;
  const isNumbered = drafts.some(({ sources = [] }) => sources.length > 0);
  if (!isNumbered) {
    const entries = drafts.map(({ entry }) => entry);
    return store(drafts, entries, expected ?? "any", writing);
  }
  if (ledger.version() === undefined) await ledger.sync(signal);
  for (;;) {
    const version = ledger.version() ?? 0;
    const numberOf = ledger.offer();
    const entries = drafts.map((draft) => numberSources(draft, numberOf));
    // Reserved before they are written: what is replaced later does not set them free.
    await ledger.reserve(entries, signal);
    try {
      return await store(drafts, entries, expected ?? version, writing);
    } catch (error) {
      if (!isHistoryError(error, "VERSION_CONFLICT") || expected !== undefined) throw error;
      await ledger.sync(signal, true);
      // A store that refuses without a reason is not asked for ever.
      if (ledger.version() === version) throw error;
    }
  }
}

function numberSources(draft: Draft, numberOf: (source: UnnumberedSource) => number): HistoryEntry {
  if (draft.sources === undefined || draft.sources.length === 0) return draft.entry;
  const sources = draft.sources.map((source): Source => ({ ...source, number: numberOf(source) }));
  return { ...draft.entry, sources };
}

/** Appends entries, but for those that an earlier try has stored, and returns all as they are stored. */
async function store(
  drafts: readonly Draft[],
  entries: readonly HistoryEntry[],
  expectedVersion: ExpectedVersion,
  writing: Writing,
): Promise<readonly HistoryEntry[]> {
  const { options, ledger, signal } = writing;
  const { store: threads, threadId, maxRetries = 2, onEntries } = options;
  const tokens = countEntries(entries, options.counter);
  const append = async () =>
    threads.append(threadId, entries, {
      expectedVersion,
      ...(tokens && { tokens: new Map([[options.counter.id, tokens]]) }),
      ...(signal && { signal }),
    });
  let written;
  try {
    written = await retried(append, entries, { maxRetries, signal });
  } catch (error) {
    // A turn that began is begun again: the thread has moved on by its own first entries.
    const isBegun = writing.expected !== undefined && isHistoryError(error, "VERSION_CONFLICT");
    if (!isBegun && !isHistoryError(error, "DUPLICATE_ID")) throw error;
    const known = await knownEntries(drafts, entries, writing);
    if (known === undefined || known.size === 0) throw error;
    const isMissing = (_: unknown, index: number): boolean => !known.has(entries[index]?.id ?? "");
    const missing = entries.filter(isMissing);
    if (isBegun && missing.length > 0) throw error;
    if (missing.length > 0)
      await store(drafts.filter(isMissing), missing, expectedVersion, writing);
    return entries.map((entry) => known.get(entry.id) ?? entry);
  }
  if (!written.duplicate) {
    ledger.note(entries, written.version);
    onEntries?.(entries);
  }
  return entries;
}

/** Sends a write again, under the same ids, where the answer to it was lost. */
async function retried<Result>(
  write: () => Promise<Result>,
  entries: readonly HistoryEntry[],
  { maxRetries, signal }: { readonly maxRetries: number; readonly signal: AbortSignal | undefined },
): Promise<Result> {
  let lost: unknown;
  for (let retries = 0; ; retries++) {
    try {
      return await write();
    } catch (error) {
      const isLost = isHistoryError(error, "OUTCOME_UNKNOWN");
      // The outcome of the first try is still unknown, whatever became of this one.
      const isStill =
        lost !== undefined &&
        (isHistoryError(error, "STORE_UNAVAILABLE") || isHistoryError(error, "ABORTED"));
      if (!isLost && !isStill) throw error;
      lost = error;
      if (retries >= maxRetries || signal?.aborted === true) throw outcomeUnknown(entries, error);
    }
  }
}

function outcomeUnknown(entries: readonly HistoryEntry[], cause: unknown): HistoryError {
  return new HistoryError(
    "The store's answer was lost: the entries may or may not be stored. Add them again with the same ids (`details.entryIds`); stored entries are not duplicated.",
    { code: "OUTCOME_UNKNOWN", details: { entryIds: entries.map(({ id }) => id) }, cause },
  );
}

/** Finds the entries of a batch that the thread holds, by id; nothing if an id stands for something else. */
async function knownEntries(
  drafts: readonly Draft[],
  entries: readonly HistoryEntry[],
  { options, signal }: Writing,
): Promise<ReadonlyMap<string, HistoryEntry> | undefined> {
  const ids = entries.map(({ id }) => id);
  const read = await options.store.read(options.threadId, {
    query: { clauses: [{ ids }] },
    originals: true,
    ...(signal && { signal }),
  });
  const known = new Map(read.entries.map((entry) => [entry.id, entry]));
  const isSame = entries.every((entry, index) => {
    const stored = known.get(entry.id);
    const open = drafts[index]?.open;
    return stored === undefined || sameJson(comparable(stored, open), comparable(entry, open));
  });
  return isSame ? known : undefined;
}

/** Returns an entry without what a retry makes again: its time, the numbers of its sources, and what a scope fills in. */
export function comparable(
  entry: HistoryEntry,
  open: readonly ScopeField[] = [],
): Readonly<Record<string, unknown>> {
  const ignored = new Set<string>(["createdAtMs", ...open]);
  const rest = Object.fromEntries(Object.entries(entry).filter(([name]) => !ignored.has(name)));
  if (!("sources" in entry)) return rest;
  return { ...rest, sources: entry.sources?.map(({ number: _, ...source }) => source) };
}

/** Counts entries for the store to keep beside them; nothing if the counter is asynchronous or fails, which holds up no write. */
function countEntries(
  entries: readonly HistoryEntry[],
  counter: TokenCounter | AsyncTokenCounter,
): readonly number[] | undefined {
  const counts: number[] = [];
  try {
    for (const entry of entries) {
      const count = counter.countEntry(entry);
      if (typeof count !== "number") {
        count.catch(() => {});
        return undefined;
      }
      counts.push(count);
    }
  } catch {
    return undefined;
  }
  return counts;
}

/** What a store takes at once; bytes are of JSON in UTF-8. */
const MAX_ENTRIES = 500;
const MAX_BYTES = 4_000_000;

/** What the stored form adds at most to an entry, and a number to a source. */
const ENTRY_BYTES = 16;
const NUMBER_BYTES = 32;

const encoder = new TextEncoder();

/** Splits drafts into batches that a store takes, in order. A draft that alone is too large is a batch, for the store to refuse. */
function splitBatches(drafts: readonly Draft[]): readonly (readonly Draft[])[] {
  const batches: Draft[][] = [];
  let bytes = 0;
  for (const draft of drafts) {
    const size = bytesOf(draft);
    const last = batches.at(-1);
    if (last === undefined || last.length >= MAX_ENTRIES || bytes + size > MAX_BYTES) {
      batches.push([draft]);
      bytes = size;
      continue;
    }
    last.push(draft);
    bytes += size;
  }
  return batches;
}

function requireOneBatch(drafts: readonly Draft[]): void {
  if (splitBatches(drafts).length <= 1) return;
  throw new HistoryError(
    `Expected one write to have at most ${MAX_ENTRIES} entries and ${MAX_BYTES} bytes; got ${drafts.length} entries that are more. Nothing was written. Keep large files elsewhere, and attach where they are.`,
    { code: "TOO_LARGE", details: { limit: MAX_ENTRIES, actual: drafts.length } },
  );
}

function bytesOf({ entry, sources = [] }: Draft): number {
  try {
    const json = JSON.stringify([entry, sources]);
    return encoder.encode(json).length + ENTRY_BYTES + sources.length * NUMBER_BYTES;
  } catch {
    throw new HistoryError(
      "Expected entries to be JSON; got one that cannot be written: cyclic, too deep, or with a field that throws. Nothing was written.",
      { code: "INVALID_ENTRY", details: { path: "" } },
    );
  }
}

/** Does one thing after the other; one that fails holds up none. */
function serialQueue(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => {});
    return next;
  };
}
