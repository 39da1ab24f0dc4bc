import { applyCompactions, isOverlay } from "../apply-compactions.ts";
import type { EntryRun, SummaryEntry } from "../derived-entries.ts";
import type { HistoryEntry } from "../history-entry.ts";
import { HistoryError } from "../history-error.ts";
import type { ExpectedVersion } from "../history-store.ts";
import type { HistoryView } from "../history-view.ts";
import { isInView } from "../is-in-view.ts";
import type { JsonValue } from "../json.ts";
import { sameJson } from "../same-json.ts";

/** One thread as the memory store keeps it. */
export interface MemoryThread {
  /** The log. Only a suffix is ever replaced. */
  readonly log: HistoryEntry[];
  /** Where each entry stands in the log, by id. */
  readonly entryIndexes: Map<string, number>;
  /** How much higher than the length of the log the version is. */
  changes: number;
  /** How many entries each replacement of a suffix left, in order. */
  readonly cuts: number[];
  /** What was replaced, by id: by which replacement, from 1. */
  readonly replaced: Map<string, readonly { readonly nth: number; readonly entry: HistoryEntry }[]>;
  /** The last replacements, by the id of their operation. */
  readonly operations: Map<string, { readonly content: unknown; readonly version: number }>;
  /** Summaries, in the order they were committed. */
  readonly overlays: SummaryEntry[];
  /** Counts by counter id. Each entry has those it was appended with, also in forks and once it was replaced. */
  readonly tokens: Map<string, WeakMap<HistoryEntry, number>>;
  /** Revisions by view. */
  readonly viewRevisions: Map<HistoryView, number>;
  /** Small state beside the log. */
  readonly state: Map<string, { readonly value: JsonValue; readonly revision: number }>;
  /** The highest revision of state that was removed. */
  removedRevision: number;
  readonly about: { title: string | null; user: string | null; tags: readonly string[] };
  readonly createdAtMs: number;
  updatedAtMs: number;
}

/** Begins an empty thread; a fork with what its parent says of itself, and its counts. */
export function newThread({ about, tokens }: Partial<MemoryThread> = {}): MemoryThread {
  const now = Date.now();
  return {
    about: { title: null, user: null, tags: [], ...about },
    createdAtMs: now,
    updatedAtMs: now,
    log: [],
    entryIndexes: new Map(),
    changes: 0,
    cuts: [],
    replaced: new Map(),
    operations: new Map(),
    overlays: [],
    tokens: tokens ?? new Map(),
    viewRevisions: new Map(),
    state: new Map(),
    removedRevision: 0,
  };
}

/** Writes entries to the end of the log. */
export function addToLog(thread: MemoryThread, entries: readonly HistoryEntry[]): void {
  thread.updatedAtMs = Math.max(thread.updatedAtMs, Date.now());
  for (const entry of entries) {
    thread.entryIndexes.set(entry.id, thread.log.push(entry) - 1);
  }
}

/** Finds an entry of the log by its id. */
export function entryOf({ log, entryIndexes }: MemoryThread, id: string): HistoryEntry | undefined {
  return log[entryIndexes.get(id) ?? -1];
}

/** How many changes the log has had. */
export function versionOf(thread: MemoryThread | undefined): number {
  return thread === undefined ? 0 : thread.log.length + thread.changes;
}

/** A view that nothing was written of has had the replacements. */
export function viewRevisionOf({ viewRevisions, cuts }: MemoryThread, view: HistoryView): number {
  return viewRevisions.get(view) ?? cuts.length;
}

/** Returns a value as JSON gives it back: a copy, in which -0 is 0. */
export function asJson<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value));
}

/** Refuses a write that expects another version. */
export function requireVersion(thread: MemoryThread | undefined, expected: ExpectedVersion): void {
  const actual = versionOf(thread);
  const met =
    expected === "any" ||
    (expected === "none" && thread === undefined) ||
    (expected === "exists" && thread !== undefined) ||
    expected === actual;
  if (met) return;
  throw new HistoryError(
    `Expected the thread's version to be ${expected}, but it is ${actual}. Read what is new, then write again.`,
    { code: "VERSION_CONFLICT", details: { expected, actual } },
  );
}

/** Returns whether a summary was committed already; refuses one whose id stands for something else. */
export function isKnownOverlay(thread: MemoryThread, summary: SummaryEntry): boolean {
  const earlier =
    entryOf(thread, summary.id) ?? thread.overlays.find(({ id }) => id === summary.id);
  if (earlier === undefined && !thread.replaced.has(summary.id)) return false;
  if (earlier !== undefined && sameJson(earlier, summary)) return true;
  throw duplicateId(summary.id, "stands for another entry of the thread");
}

/** Refuses a compaction whose runs are not in the view. */
export function requireCoverage(
  thread: MemoryThread,
  view: HistoryView,
  summary: SummaryEntry,
): void {
  const shown = viewOfThread(thread, view).filter(
    (entry) => isInView(entry, view) || isOverlay(entry),
  );
  const indexes = new Map(shown.map(({ id }, index) => [id, index]));
  let last = -1;
  for (const { from, to } of summary.covers ?? []) {
    const start = indexes.get(from) ?? -1;
    const end = indexes.get(to) ?? -1;
    if (start <= last || end < start) throw notCovered(start < 0 ? from : to);
    last = end;
  }
  const after = applyCompactions([...thread.log, ...thread.overlays, summary], view);
  if (!after.includes(summary)) throw notCovered(summary.id);
}

function notCovered(entryId: string): HistoryError {
  return new HistoryError(
    "Expected `covers` to name runs of entries that the view shows and that may be covered, in order. Read the view again.",
    { code: "NOT_FOUND", details: { entryId } },
  );
}

/** What a view shows of a thread. */
export function viewOfThread(
  thread: MemoryThread,
  view: HistoryView | undefined,
): readonly HistoryEntry[] {
  return applyCompactions([...thread.log, ...thread.overlays], view);
}

/** Makes a summary stand in a view for its runs. */
export function asOverlay(
  summary: SummaryEntry,
  view: HistoryView,
  covers: readonly EntryRun[],
): SummaryEntry {
  return asJson({ ...summary, view, covers });
}

/** The summaries that cover none but the first `end` entries. */
export function coveredBy(
  { entryIndexes, overlays }: MemoryThread,
  end: number,
): readonly SummaryEntry[] {
  const kept = new Set<string>();
  const stands = (id: string): boolean => (entryIndexes.get(id) ?? end) < end || kept.has(id);
  return overlays.filter(({ id, covers = [] }) => {
    if (!covers.every(({ from, to }) => stands(from) && stands(to))) return false;
    kept.add(id);
    return true;
  });
}

/** Keeps counts beside the entries of a batch. */
export function rememberTokens(
  thread: MemoryThread,
  batch: readonly HistoryEntry[],
  tokens: ReadonlyMap<string, readonly number[]>,
): void {
  for (const [counter, counts] of tokens) {
    const known = thread.tokens.get(counter) ?? new WeakMap<HistoryEntry, number>();
    for (const [index, entry] of batch.entries()) {
      const count = counts[index];
      if (count !== undefined) known.set(entry, count);
    }
    thread.tokens.set(counter, known);
  }
}

/** Returns the counts of entries, by counter, where a counter has counted one of them. */
export function tokensOf(
  thread: MemoryThread,
  entries: readonly HistoryEntry[],
): ReadonlyMap<string, readonly (number | undefined)[]> {
  const counted = [...thread.tokens].map(
    ([counter, counts]) => [counter, entries.map((entry) => counts.get(entry))] as const,
  );
  return new Map(counted.filter(([, counts]) => counts.some((count) => count !== undefined)));
}

/** Refuses a compaction of a view that moved on. */
export function requireViewRevision(
  thread: MemoryThread,
  view: HistoryView,
  expected: number,
): void {
  const actual = viewRevisionOf(thread, view);
  if (actual !== expected) throw conflict("view revision", expected, actual);
}

/** Says that a view changed. */
export function raiseViewRevision(thread: MemoryThread, view: HistoryView): number {
  const viewRevision = viewRevisionOf(thread, view) + 1;
  thread.viewRevisions.set(view, viewRevision);
  return viewRevision;
}

/** Refuses a write of state that was written since. */
export function requireRevision(expected: number, actual: number): void {
  if (actual !== expected) throw conflict("revision", expected, actual);
}

function conflict(what: string, expected: number, actual: number): HistoryError {
  return new HistoryError(
    `Expected the ${what} to be ${expected}, but it is ${actual}. Read again, then write again.`,
    { code: "VERSION_CONFLICT", details: { expected, actual } },
  );
}

/** Says that an id is taken. */
export function duplicateId(entryId: string, what: string): HistoryError {
  return new HistoryError(`The entry id ${JSON.stringify(entryId)} ${what}. Nothing was written.`, {
    code: "DUPLICATE_ID",
    details: { entryId },
  });
}
