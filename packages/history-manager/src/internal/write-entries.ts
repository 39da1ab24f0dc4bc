import {
  HistoryError,
  isHistoryError,
  MAX_BATCH_ENTRIES,
  sameJson,
  throwIfAborted,
} from "@agent-history/core";
import type {
  GlobalObservationEntry,
  HistoryEntry,
  ObservationEntry,
  ReadResult,
} from "@agent-history/core";

import type { HistoryManagerOptions } from "../history-manager-options.ts";
import type { CallOptions, UnnumberedSource } from "../history-manager.ts";
import { numberSources } from "./citation-numbers.ts";
import type { NumberedSource } from "./citation-numbers.ts";
import { INSTRUCTIONS_ID, repeatLost, reservedId } from "./managed-thread.ts";
import type { ManagedThread } from "./managed-thread.ts";
import { openFields } from "./scope-fields.ts";

/** An entry to write. */
export type Draft = {
  /** What the caller passed: a retry may come from another scope, which fills in other values. */
  readonly given: object;
} & (
  | { readonly entry: HistoryEntry; readonly sources?: undefined }
  | {
      readonly entry: ObservationEntry | GlobalObservationEntry;
      /** Numbered when they are written. */
      readonly sources: readonly UnnumberedSource[];
    }
);

/** Entries to append; `from` is the id of the first entry that they replace. */
export interface LogChange {
  readonly drafts: readonly Draft[];
  readonly from?: string | undefined;
  /** Identifies a replacement, so that a retry is recognized. */
  readonly operationId: string;
}

/** Precondition of the first write of a turn. */
export interface TurnStart {
  expectedVersion: number | undefined;
}

interface Writing extends Pick<ManagedThread, "options" | "numbers" | "start"> {
  readonly signal?: AbortSignal | undefined;
  readonly isAtomic?: boolean;
  /** `beforeStore` was applied already. */
  readonly isChanged?: boolean;
}

/**
 * Writes drafts after all pending writes, and returns the stored entries.
 *
 * @param isAtomic - Refuses more drafts than one write takes. Default `false`.
 */
export async function writeEntries(
  thread: ManagedThread,
  drafts: readonly Draft[],
  { signal }: CallOptions = {},
  isAtomic = false,
): Promise<readonly HistoryEntry[]> {
  return thread.inOrder(async () => {
    requireFree(drafts);
    return drafts.length === 0 ? [] : writeDrafts(drafts, { ...thread, signal, isAtomic });
  });
}

/** Runs tasks one after the other; a failed one does not stop the next. */
export function serialQueue(): ManagedThread["inOrder"] {
  let last: Promise<unknown> = Promise.resolve();
  return async (write) => {
    const next = last.then(write);
    last = next.catch(() => {});
    return next;
  };
}

function requireFree(drafts: readonly Draft[]): void {
  for (const { entry } of drafts) {
    if (entry.id !== INSTRUCTIONS_ID) continue;
    throw reservedId("Nothing was written. Give the entry another id.");
  }
}

/** Writes drafts in one write, or in several if allowed and necessary. */
async function writeDrafts(
  drafts: readonly Draft[],
  writing: Writing,
): Promise<readonly HistoryEntry[]> {
  const { isAtomic, start, signal, options } = writing;
  throwIfAborted(signal);
  try {
    const isChanged = options.beforeStore === undefined || writing.isChanged === true;
    const changed = isChanged
      ? drafts
      : await Promise.all(drafts.map(async (draft) => changedDraft(draft, options)));
    const entries = await numbered(changed, writing);
    const stored = await append(drafts, entries, writing);
    if (start !== undefined) start.expectedVersion = undefined;
    return stored;
  } catch (error) {
    if (isAtomic === true || drafts.length === 1 || !isTooMany(error)) throw error;
    const half = Math.ceil(drafts.length / 2);
    const first = await writeDrafts(drafts.slice(0, half), writing);
    return [...first, ...(await writeDrafts(drafts.slice(half), writing))];
  }
}

/** Applies `beforeStore` to a draft. Sources are numbered by the ids that they have afterwards, so that the original ids are not stored either. */
async function changedDraft(
  { entry, sources }: Draft,
  { beforeStore = (same) => same, threadId }: HistoryManagerOptions,
): Promise<ChangedDraft> {
  if (sources === undefined) return { entry: await beforeStore(entry, { threadId }) };
  const unnumbered = sources.map((source) => ({ ...source, number: 0 }));
  const changed = await beforeStore({ ...entry, sources: unnumbered }, { threadId });
  const found = ("sources" in changed && changed.sources) || [];
  return { entry: changed, sources: found.map(({ number: _, ...source }) => source) };
}

interface ChangedDraft {
  readonly entry: HistoryEntry;
  readonly sources?: readonly UnnumberedSource[] | undefined;
}

/** Returns whether a store refused the size of a batch, not that of an entry. */
function isTooMany(error: unknown): boolean {
  return isHistoryError(error, "TOO_LARGE") && error.details["entryId"] === undefined;
}

const MAX_TRIES = 20;

/** Reads the log and writes what `next` returns for it; retries if another process wrote in between. */
export async function extendLog(
  { options, numbers }: ManagedThread,
  next: (read: ReadResult) => LogChange,
  signal: AbortSignal | undefined,
): Promise<readonly HistoryEntry[]> {
  for (let tries = 1; ; tries++) {
    throwIfAborted(signal);
    const call = { originals: true, ...(signal && { signal }) };
    const read = await options.store.read(options.threadId, call);
    const change = next(read);
    requireFree(change.drafts);
    try {
      const { written, version } = await replaceEnd(change, read.version, {
        options,
        numbers,
        signal,
      });
      const rest = change.drafts.slice(written.length);
      const start = { expectedVersion: version };
      const writing = { options, numbers, signal, start, isChanged: true };
      return rest.length === 0 ? written : [...written, ...(await writeDrafts(rest, writing))];
    } catch (error) {
      if (!isHistoryError(error, "VERSION_CONFLICT") || tries >= MAX_TRIES) throw error;
    }
  }
}

/** Replaces a suffix of the log by the first drafts, as many as one write takes; none if nothing is replaced. */
async function replaceEnd(
  { drafts, from, operationId }: LogChange,
  expectedVersion: number,
  writing: Writing,
): Promise<{ readonly written: readonly HistoryEntry[]; readonly version: number }> {
  const { options, signal } = writing;
  if (from === undefined) return { written: [], version: expectedVersion };
  const { store, threadId, onEntries } = options;
  for (let size = Math.min(drafts.length, MAX_BATCH_ENTRIES); ; size = Math.ceil(size / 2)) {
    const written = drafts.slice(0, size).map(({ entry }) => entry);
    const change = { from, expectedVersion, replacement: written, operationId };
    const replace = async () =>
      store.replaceSuffix(threadId, { ...change, ...(signal && { signal }) });
    try {
      const { version } = await send(replace, written, writing);
      onEntries?.(written);
      return { written, version };
    } catch (error) {
      if (size === 1 || !isTooMany(error)) throw error;
    }
  }
}

/** Returns the entries of drafts with numbered sources; the numbers are stored first. */
async function numbered(
  drafts: readonly ChangedDraft[],
  { options: { store, threadId }, numbers: known, signal }: Writing,
): Promise<readonly HistoryEntry[]> {
  const entries: HistoryEntry[] = [];
  const sources: NumberedSource[] = [];
  for (const { entry, sources: given = "sources" in entry ? entry.sources : [] } of drafts) {
    entries.push(entry);
    for (const source of given ?? []) sources.push(source);
  }
  if (sources.length === 0) return entries;
  const numbers = await numberSources({ store, threadId, signal }, sources, known);
  return drafts.map(({ entry, sources: given = [] }) => {
    if (given.length === 0) return entry;
    return {
      ...entry,
      sources: given.map((source) => ({ ...source, number: numbers.get(source.id) ?? 0 })),
    };
  });
}

/** Appends entries except those that an earlier try stored, and returns all as stored. */
async function append(
  drafts: readonly Draft[],
  entries: readonly HistoryEntry[],
  writing: Writing,
): Promise<readonly HistoryEntry[]> {
  const { options, start, signal } = writing;
  const { store, threadId, counter, onEntries } = options;
  const tokens = countEntries(entries, counter);
  const write = async () =>
    store.append(threadId, entries, {
      expectedVersion: start?.expectedVersion ?? "any",
      ...(tokens && { tokens: new Map([[counter.id, tokens]]) }),
      ...(signal && { signal }),
    });
  try {
    const { duplicate } = await send(write, entries, writing);
    if (!duplicate) onEntries?.(entries);
    return entries;
  } catch (error) {
    // A retry of a turn that began: its own first entries raised the thread's version.
    const isBegun =
      start?.expectedVersion !== undefined && isHistoryError(error, "VERSION_CONFLICT");
    if (!isBegun && !isHistoryError(error, "DUPLICATE_ID")) throw error;
    const known = await knownEntries(drafts, entries, writing);
    if (known === undefined || known.size === 0) throw error;
    const isMissing = (_: unknown, index: number): boolean => !known.has(entries[index]?.id ?? "");
    const missing = entries.filter(isMissing);
    if (isBegun && missing.length > 0) throw error;
    if (missing.length > 0) await append(drafts.filter(isMissing), missing, writing);
    return entries.map((entry) => known.get(entry.id) ?? entry);
  }
}

/** Retries a write with the same ids if its answer was lost. */
async function send<Result>(
  write: () => Promise<Result>,
  entries: readonly HistoryEntry[],
  { options: { maxRetries }, signal }: Writing,
): Promise<Result> {
  try {
    return await repeatLost(write, { maxRetries, signal });
  } catch (error) {
    if (!isHistoryError(error, "OUTCOME_UNKNOWN")) throw error;
    throw new HistoryError(
      "The store's response was lost, so the entries may or may not be stored. Add them again with the same ids (`details.entryIds`); stored entries are not duplicated.",
      { code: "OUTCOME_UNKNOWN", details: { entryIds: entries.map(({ id }) => id) }, cause: error },
    );
  }
}

/** Finds the stored entries of a batch by id; `undefined` if an id belongs to another entry. */
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
    return stored === undefined || isRetryOf(stored, entry, drafts[index]?.given ?? {});
  });
  return isSame ? known : undefined;
}

/** Returns whether an entry equals a stored one, except for what a retry may change: time, source numbers and scope fields. */
export function isRetryOf(stored: HistoryEntry, entry: HistoryEntry, given: object): boolean {
  const ignored = new Set<string>(["createdAtMs", ...openFields(given)]);
  // The store adds a missing `turnId`.
  if (entry.turnId === undefined) ignored.add("turnId");
  const comparable = (one: HistoryEntry): unknown => {
    const rest = Object.fromEntries(Object.entries(one).filter(([name]) => !ignored.has(name)));
    if (!("sources" in one)) return rest;
    return { ...rest, sources: one.sources?.map(({ number: _, ...source }) => source) };
  };
  return sameJson(comparable(stored), comparable(entry));
}

/** Counts entries for the store; `undefined` if the counter is async or fails, which must not block a write. */
function countEntries(
  entries: readonly HistoryEntry[],
  counter: HistoryManagerOptions["counter"],
): readonly number[] | undefined {
  const counts: number[] = [];
  try {
    for (const entry of entries) {
      const count = counter.countEntry(entry);
      if (typeof count === "number") counts.push(count);
      else count.catch(() => {});
    }
  } catch {
    return undefined;
  }
  return counts.length === entries.length ? counts : undefined;
}
