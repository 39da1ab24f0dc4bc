import type { EntryRun, SummaryEntry } from "./derived-entries.ts";
import type { HistoryEntry } from "./history-entry.ts";
import type { HistoryQuery } from "./history-query.ts";
import type { HistoryView } from "./history-view.ts";
import type { JsonValue } from "./json.ts";

/** What a thread's version must be for a write to be taken: a version, no thread yet, some thread, anything. */
export type ExpectedVersion = number | "none" | "exists" | "any";

/** What a read gives. */
export interface ReadResult {
  readonly entries: readonly HistoryEntry[];
  /** Counts stored beside the entries, by counter id, in the order of `entries`. */
  readonly tokens: ReadonlyMap<string, readonly (number | undefined)[]>;
  /** Rows that could not be read, with their positions. Never silently skipped. */
  readonly problems: readonly StoredEntryProblem[];
  /** How many entries the thread has ever been given. */
  readonly version: number;
  /** How many compactions the view has been given or lost. */
  readonly epoch: number;
  /** Where to read on from, where the query's limit cut. */
  readonly next?: string;
}

/** A stored row that is not an entry of this release. */
export interface StoredEntryProblem {
  /** Position in the log, from 0. */
  readonly position: number;
  readonly entryId?: string;
  /** Where in the row, for example `toolCalls.0.id`. */
  readonly path?: string;
  /** `newer`: written by a later release, kept and not shown. `broken`: cannot be read. */
  readonly kind: "newer" | "broken";
  /** A sentence without content. */
  readonly reason: string;
}

/**
 * Keeps threads: one order for each, append only, summaries as overlays.
 *
 * Laws: a batch is written whole or not at all, in order, once by entry id (a retry of the same ids is a success); a
 * compaction commits summary and coverage together, and `expand` gives the originals back (L11); `read(thread,
 * { query })` equals `selectEntries(applyCompactions(all, query.view), query)`, and with `originals`
 * `selectEntries(all, query)`. All methods are required: what a store cannot do is not in the contract.
 */
export interface HistoryStore {
  append(
    threadId: string,
    entries: readonly HistoryEntry[],
    options?: {
      readonly expectedVersion?: ExpectedVersion;
      /** Counts to keep beside the entries, by counter id, in the order of `entries`. */
      readonly tokens?: ReadonlyMap<string, readonly number[]>;
      readonly signal?: AbortSignal;
    },
  ): Promise<{ readonly version: number; readonly duplicate: boolean }>;
  read(
    threadId: string,
    options?: {
      readonly query?: HistoryQuery;
      /** Reads the log as it was written, without compactions. Default `false`. */
      readonly originals?: boolean;
      readonly signal?: AbortSignal;
    },
  ): Promise<ReadResult>;
  commitCompaction(
    threadId: string,
    options: {
      readonly view: HistoryView;
      readonly summary: SummaryEntry;
      readonly covers: readonly EntryRun[];
      readonly expectedEpoch: number;
      readonly signal?: AbortSignal;
    },
  ): Promise<{ readonly epoch: number }>;
  /** Takes back one layer: the summary goes, what it covered is shown again. */
  expand(
    threadId: string,
    summaryId: string,
    options?: { readonly signal?: AbortSignal },
  ): Promise<{ readonly epoch: number }>;
  getState(
    threadId: string,
    key: string,
    options?: { readonly signal?: AbortSignal },
  ): Promise<{ readonly value: JsonValue; readonly revision: number } | undefined>;
  setState(
    threadId: string,
    key: string,
    value: JsonValue,
    options: { readonly expectedRevision: number; readonly signal?: AbortSignal },
  ): Promise<{ readonly revision: number }>;
  /** Begins a thread `<threadId>/<as>` that shares the entries up to `at`. */
  fork(
    threadId: string,
    options: { readonly at: string; readonly as: string; readonly signal?: AbortSignal },
  ): Promise<{ readonly threadId: string }>;
  list(options?: {
    readonly prefix?: string;
    readonly cursor?: string;
    readonly limit?: number;
    readonly signal?: AbortSignal;
  }): Promise<{ readonly threadIds: readonly string[]; readonly cursor?: string }>;
  /** Deletes a thread and leaves a tombstone, so that a late retry cannot bring it back. */
  delete(threadId: string, options?: { readonly signal?: AbortSignal }): Promise<void>;
  /** Tells what the store is and what it promises at this moment. */
  describe(): Promise<StoreDescription>;
  /** Checks a thread against itself. */
  verify(
    threadId: string,
    options?: { readonly signal?: AbortSignal },
  ): Promise<readonly StoredEntryProblem[]>;
  close(): Promise<void>;
}

/** What a store says of itself. */
export interface StoreDescription {
  readonly kind: string;
  /** What a crash may cost, in one sentence. */
  readonly durability: string;
  readonly details: { readonly [key: string]: JsonValue };
}
