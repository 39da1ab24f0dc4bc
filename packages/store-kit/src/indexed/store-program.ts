import type { HistoryView } from "@agent-history/core";

/**
 * Work that needs to look things up: it yields rounds of fetches, is handed their answers in the same order, and ends
 * in a result. It does no I/O, so that a synchronous and an asynchronous store drive the same one.
 *
 * A round that asks for nothing is a pause, so that long work blocks nobody: answer it with `[]` after other work had its turn.
 * Answer the fetches of one round in their order, or from one snapshot: what comes later in a round may be newer, never older.
 */
export type StoreProgram<Result> = Generator<readonly Fetch[], Result, readonly Answer[]>;

/** One thing to look up in a thread. All of a round go in one round trip. */
export type Fetch =
  | ThreadFetch
  | FactsFetch
  | ReferencesFetch
  | PositionsFetch
  | EntriesFetch
  | LogFetch
  | SummariesFetch
  | OverlaysFetch
  | ReplacedFetch
  | OperationFetch;

/** What a driver answers to a fetch of the same kind. */
export type Answer =
  | ThreadAnswer
  | FactsAnswer
  | ReferencesAnswer
  | PositionsAnswer
  | EntriesAnswer
  | SummariesAnswer
  | ReplacedAnswer
  | OperationAnswer;

/** The head of the thread and, where one is named, the state of a view. Read the view's first, or both from one snapshot. */
export interface ThreadFetch {
  readonly kind: "thread";
  readonly view?: HistoryView;
}

/** What a thread and one of its views are at. A thread that is not there has version 0, revision 0 and no texts. */
export interface ThreadAnswer {
  readonly kind: "thread";
  /** The head as `indexBatch` gave it. */
  readonly head: string | undefined;
  /** The view's state as a compaction gave it. */
  readonly state: string | undefined;
  /** Of a view that nothing was written of, how many suffixes were replaced. */
  readonly viewRevision: number;
}

/** Facts by key, as `indexBatch` gave them. */
export interface FactsFetch {
  readonly kind: "facts";
  readonly keys: readonly string[];
}

/** The facts that are there. */
export interface FactsAnswer {
  readonly kind: "facts";
  readonly facts: ReadonlyMap<string, string>;
}

/** Rows of one stream with keys in `after < key < before`, the newest first, at most `limit`. */
export interface ReferencesFetch {
  readonly kind: "references";
  readonly stream: string;
  /** Exclusive. Default: from the first. */
  readonly after?: number;
  /** Exclusive. Default: to the last. */
  readonly before?: number;
  readonly limit: number;
}

/** Rows, the newest (highest key) first. */
export interface ReferencesAnswer {
  readonly kind: "references";
  readonly rows: readonly ReferenceRow[];
  /** The store knows that the stream had rows, and they are gone: the log is read instead of them, and the result says so. Default `false`. */
  readonly isMissing?: boolean;
}

/** The references of some neighboring entries of one stream. */
export interface ReferenceRow {
  /** Rises within a stream, from 1: the position after the last entry of the row. */
  readonly key: number;
  /** Opaque. ASCII, without spaces or quotes. */
  readonly references: string;
}

/** The positions of entries in the log, by id. */
export interface PositionsFetch {
  readonly kind: "positions";
  readonly ids: readonly string[];
}

/** The positions of the ids that are there. */
export interface PositionsAnswer {
  readonly kind: "positions";
  readonly positions: ReadonlyMap<string, number>;
}

/** Stored entries at these positions, which rise. */
export interface EntriesFetch {
  readonly kind: "entries";
  readonly positions: readonly number[];
  /** For each position the one of the last entry of its row, as the index has it. Missing where the index was not asked. */
  readonly rowEnds?: readonly number[];
}

/** Stored entries at `from <= position < to`. */
export interface LogFetch {
  readonly kind: "log";
  readonly from: number;
  readonly to: number;
}

/** The rows that are there, oldest first. Answers `entries` and `log`. */
export interface EntriesAnswer {
  readonly kind: "entries";
  readonly rows: readonly EntryRow[];
}

/** A stored entry. */
export interface EntryRow {
  readonly position: number;
  /** As `prepareBatch` gave it. */
  readonly json: string;
  /** As `prepareBatch` gave it, where it did. */
  readonly tokens?: string;
  /** The position of the last entry of the same row, where rows hold several. */
  readonly rowEnd?: number;
}

/** Summaries that stand in a view of this thread, by id, whatever the view. */
export interface SummariesFetch {
  readonly kind: "summaries";
  readonly ids: readonly string[];
}

/** All summaries that stand in a view (in any view, without one), in the order they were committed. */
export interface OverlaysFetch {
  readonly kind: "overlays";
  readonly view?: HistoryView;
}

/** The summaries that are there. Answers `summaries` and `overlays`. */
export interface SummariesAnswer {
  readonly kind: "summaries";
  readonly summaries: readonly StoredSummary[];
}

/** A committed summary as a store keeps it. */
export interface StoredSummary {
  readonly id: string;
  readonly view: HistoryView;
  readonly json: string;
}

/** What stood under these ids and was replaced. */
export interface ReplacedFetch {
  readonly kind: "replaced";
  readonly ids: readonly string[];
}

/** What was replaced, by id, in any order. */
export interface ReplacedAnswer {
  readonly kind: "replaced";
  readonly replaced: ReadonlyMap<string, readonly ReplacedEntry[]>;
}

/** An entry that was replaced. */
export interface ReplacedEntry {
  /** By which replacement of the thread, from 1. */
  readonly nth: number;
  readonly json: string;
}

/** What is remembered of a replacement, by the id of its operation. */
export interface OperationFetch {
  readonly kind: "operation";
  readonly id: string;
}

/** The operation, where it is remembered. */
export interface OperationAnswer {
  readonly kind: "operation";
  readonly operation: StoredOperation | undefined;
}

/** A replacement that was carried out. */
export interface StoredOperation {
  readonly id: string;
  /** Of what it was given. */
  readonly hash: string;
  /** What it was answered. */
  readonly version: number;
}
