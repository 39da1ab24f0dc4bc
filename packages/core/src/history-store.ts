import type { EntryRun, HistoryEntry, SummaryEntry } from "./history-entry.ts";
import type { HistoryQuery } from "./history-query.ts";
import type { HistoryView } from "./history-view.ts";
import type { JsonValue } from "./json.ts";
import type { MetadataChange, ThreadMetadata } from "./thread-metadata.ts";

/** Precondition of a write: a version, no thread yet, some thread, or any. */
export type ExpectedVersion = number | "none" | "exists" | "any";

/** Result of a read. */
export interface ReadResult {
  readonly entries: readonly HistoryEntry[];
  /**
   * Token counts stored beside the entries, by counter id, in the order of `entries`; for each counter that has counted at least one of
   * them.
   */
  readonly tokens: ReadonlyMap<string, readonly (number | undefined)[]>;
  /** Rows that could not be read, with their positions. Never silently skipped. */
  readonly problems: readonly StoredEntryProblem[];
  /**
   * Number of changes of the log: one for each appended entry, including those shared with the thread that it was forked from, and one for each replacement.
   * Never decreases. 0 for a thread that does not exist.
   */
  readonly version: number;
  /** Number of entries. Equals `version` until `replaceSuffix` is used. */
  readonly entryCount: number;
  /** Number of compactions committed to or expanded in the query's view, plus suffix replacements. 0 without a view. */
  readonly viewRevision: number;
  /**
   * If a limit applied, the id of the oldest entry within it: pass it as `before` for the previous page.
   * Missing if nothing older matches, or nothing does. With `wholeExchanges`, an exchange that a limit cuts is on neither page.
   */
  readonly next?: string;
  /** The thread is encrypted and its key was destroyed: nothing can be read any more. */
  readonly sealed?: "destroyed";
}

/**
 * Stores threads. Each has one ordered log, with summaries as overlays. A log only grows, except that a suffix may be replaced as a whole.
 *
 * What every store guarantees, and `describeHistoryStore` of `testkit/store` tests:
 * - A batch is written atomically; its entries are adjacent and in order. A thread's order is that of the writes, never that
 *   of clocks. Calls on one handle that are not awaited are executed in the order of the calls.
 * - An entry is written once by its id. A retry of the same batch succeeds (`duplicate`), whatever version it expects. Entries and
 *   summaries share one id space in a thread.
 * - `expectedVersion` is compared atomically: of several writers at one version, one wins.
 * - `read(thread, { query })` equals `selectEntries(applyCompactions(all, query.view), query)`, and with `originals`
 *   `selectEntries(all, query)`, forks included. One read sees one state of the thread: its `version` fits its `entries`.
 * - A compaction commits summary and coverage together, in one view, and raises that view's revision, never the thread's version; so it fails no
 *   append. The originals stay, and `expand` gives them back, layer by layer (L11).
 * - A deleted thread stays deleted: its tombstone refuses late retries permanently.
 * - Returned entries are copies, as JSON: `-0` is read as `0`. Strings, ids included, are stored exactly, to the last code unit.
 * - What JSON would change or lose is refused before anything is written, in an entry and in a value of state: `undefined` inside a value, `NaN`, a
 *   bigint, a function, a `Date`, more than 256 levels. A field of an entry that is `undefined` is none. The error names the key's path.
 * - An unreadable row is reported; all other rows are read.
 *
 * What no store promises:
 * - Exactly-once for a caller that retries with new ids. Retry with the same ids.
 * - An order across threads, and a transaction over two of them.
 * - More durability than `describe()` reports. A server that fails over may lose acknowledged writes; a handle that can notice it throws
 *   `HISTORY_REWOUND`.
 * - Erasure on the disk: files of the engine may hold the data for a while. The receipt of an erasure says where, and what clears it.
 * - Push notifications. To follow a thread, poll with `after`, the id of the last entry you have: every entry is returned once, in
 *   order; where that one was replaced, `HISTORY_REWOUND` says from where to read again.
 *
 * All methods are required: what a store cannot do is not in the contract. Every method fails with `STORE_UNAVAILABLE` where nothing was written (also
 * once the store is closed), with `OUTCOME_UNKNOWN` where the answer to a write was lost, with `ABORTED` where its signal had fired, with
 * `INVALID_OPTION` for an empty thread id, `TOO_LARGE` for one of more than 2,000 characters, and all but `list`, `ping`, `describe`, `delete` and `close` with `THREAD_DELETED`.
 */
export interface HistoryStore {
  /**
   * Writes a batch to the end of a thread, which it creates where it is missing. An empty batch writes and creates nothing; it checks
   * the version.
   *
   * An entry without a `turnId` is given one: that of the newest turn, or its own id if it begins a turn. A user message begins one, unless the newest turn has only user messages so far; in a
   * thread in which no user has spoken, so does a `task` that nobody gave, of the agent that was given the first. Attachments, system messages, memories and summaries before the first turn have none.
   *
   * At most 500 entries and 4,000,000 bytes a batch, and 1,000,000 bytes an entry (UTF-8, as JSON in the stored form) are taken. A summary that stands in a
   * view is not: `commitCompaction` takes it.
   *
   * @returns The thread's version, and whether the batch was there before.
   * @throws `HistoryError` with code `TOO_LARGE` or `INVALID_ENTRY` before anything is sent; `DUPLICATE_ID` where an id stands
   * for another entry or only a part of the batch is known; `VERSION_CONFLICT`; `THREAD_CORRUPT`.
   */
  append(
    threadId: string,
    entries: readonly HistoryEntry[],
    options?: {
      /** Default `any`. */
      readonly expectedVersion?: ExpectedVersion;
      /** Counts to keep beside the entries, by counter id, one for each of `entries`. Those of a retry are not looked at. */
      readonly tokens?: ReadonlyMap<string, readonly number[]>;
      readonly signal?: AbortSignal;
    },
  ): Promise<{ readonly version: number; readonly duplicate: boolean }>;
  /**
   * Shows what a query asks for; everything, without one. A thread that is not there is empty.
   *
   * @throws `HistoryError` with code `INVALID_QUERY` if a limit is not a non-negative integer or `Infinity`, `NOT_FOUND` where `before` or `after` is not
   * in what the view shows, `HISTORY_REWOUND` where `after` was replaced: `details.lastCommonId` is the last entry before it that was not (missing for none).
   */
  read(
    threadId: string,
    options?: {
      readonly query?: HistoryQuery;
      /** Reads the log as it was written, without compactions. Default `false`. */
      readonly originals?: boolean;
      readonly signal?: AbortSignal;
    },
  ): Promise<ReadResult>;
  /**
   * Replaces what stands from one entry to the end of the log: editing a message, regenerating an answer, resetting. The thread goes on behind what stands
   * before it, as a fork would, in one step.
   *
   * - What was replaced stays known by its ids: an append of it is a `duplicate` where it is equal, else `DUPLICATE_ID`. Only `replacement` may use these ids again.
   * - Summaries that cover something of it go; their ids are free then. The revision of every view rises by one, the version by one and by the length of `replacement`.
   * - Forks keep what they share. State stays as it is.
   * - The same operation once more changes nothing and is answered as the first time, whatever version it expects.
   *
   * Costs time linear in what is replaced, and in at most 564 entries before it.
   *
   * @param options - `from` is the id of the first entry to go. `replacement` may be empty; it is limited as a batch of `append` is. `operationId` is chosen by the
   * caller, 1 to 2,000 characters; `tokens` are as in `append`.
   * @returns The thread's version.
   * @throws `HistoryError` with code `NOT_FOUND` where the thread or `from` is not there, `VERSION_CONFLICT`, `DUPLICATE_ID` where `replacement` has an id
   * of what stays or the operation had another content, `TOO_LARGE`, `INVALID_ENTRY`, `THREAD_CORRUPT` where a row that goes cannot be read, or one of those before it.
   */
  replaceSuffix(
    threadId: string,
    options: {
      readonly from: string;
      readonly expectedVersion: ExpectedVersion;
      readonly replacement: readonly HistoryEntry[];
      readonly operationId: string;
      readonly tokens?: ReadonlyMap<string, readonly number[]>;
      readonly signal?: AbortSignal;
    },
  ): Promise<{ readonly version: number }>;
  /**
   * Lets a summary stand in a view for runs of what it shows now, summaries included. A run begins and ends with what may be covered: no system message, nothing pinned. The same summary once more is a success and changes nothing,
   * whatever revision it expects.
   *
   * @returns The view's revision.
   * @throws `HistoryError` with code `VERSION_CONFLICT` if the view's revision is another, `NOT_FOUND` where the thread is not there or a run is not what
   * the view shows or may not be covered, `DUPLICATE_ID` where the summary's id stands for something else, `TOO_LARGE` as for an entry.
   */
  commitCompaction(
    threadId: string,
    options: {
      readonly view: HistoryView;
      readonly summary: SummaryEntry;
      readonly covers: readonly EntryRun[];
      readonly expectedViewRevision: number;
      readonly signal?: AbortSignal;
    },
  ): Promise<{ readonly viewRevision: number }>;
  /**
   * Undoes one layer: the summary goes, what it covered is shown again. Its id is free then.
   *
   * @throws `HistoryError` with code `NOT_FOUND` if no view shows a summary of this id: expand first what covers it.
   */
  expand(
    threadId: string,
    summaryId: string,
    options?: { readonly signal?: AbortSignal },
  ): Promise<{ readonly viewRevision: number }>;
  /**
   * Returns all summaries that stand in a view, those that others cover included, in the order of their commits. A thread that is not there has none. Linear in the summaries.
   *
   * @throws `HistoryError` with code `INVALID_ENTRY` or `UNKNOWN_VERSION` where one of them cannot be read.
   */
  listSummaries(
    threadId: string,
    options?: { readonly signal?: AbortSignal },
  ): Promise<readonly SummaryEntry[]>;
  /** Reads small JSON beside the log; `undefined` where none was written under this key. */
  getState(
    threadId: string,
    key: string,
    options?: { readonly signal?: AbortSignal },
  ): Promise<{ readonly value: JsonValue; readonly revision: number } | undefined>;
  /**
   * Writes small JSON beside the log, at most 1,000,000 bytes under a key of at most 2,000 characters. It creates the thread where it is missing, at version
   * 0. `undefined` removes what is there; a removal creates no thread. A revision is never given twice: what is written after a removal has a
   * higher one than all that were removed.
   *
   * @param options - `expectedRevision` is 0 where nothing stands under the key.
   * @returns The revision; 0 after a removal.
   * @throws `HistoryError` with code `VERSION_CONFLICT` if the revision is another, `TOO_LARGE`.
   */
  setState(
    threadId: string,
    key: string,
    value: JsonValue | undefined,
    options: { readonly expectedRevision: number; readonly signal?: AbortSignal },
  ): Promise<{ readonly revision: number }>;
  /**
   * Lists the state of a thread, in an order of the store's own, each key once. What is written or removed meanwhile may be on a page or not. A thread that
   * is not there has none.
   *
   * @param options - `prefix` is text, never a pattern; `cursor` is that of the page before, and opaque; `limit` is at most how many, default 100.
   * @returns A `cursor` as long as there may be more.
   * @throws `HistoryError` with code `INVALID_OPTION` if `limit` is not a non-negative integer or `Infinity`.
   */
  listState(
    threadId: string,
    options?: {
      readonly prefix?: string;
      readonly cursor?: string;
      readonly limit?: number;
      readonly signal?: AbortSignal;
    },
  ): Promise<{ readonly items: readonly StateItem[]; readonly cursor?: string }>;
  /**
   * Begins a thread `<threadId>/<as>` with copies of the entries up to `at`, their counts, and the summaries that cover none but those. State stays
   * behind; the revisions of its views begin at 0. From there on each goes its own way. Nobody finds the fork before it is whole. Costs time linear in what it copies.
   *
   * @param options - `under` names the fork `<under>/<as>`: `threadId` (the default) or a name that it begins with before a `/`, so that a fork of a fork need not have both names.
   * With an `operationId` of the caller's, 1 to 2,000 characters, the same fork once more is a success and changes nothing.
   * @throws `HistoryError` with code `INVALID_OPTION` if `as` is empty or has a `/`, or `under` is another name, `NOT_FOUND` where the thread or the entry is not
   * there, `VERSION_CONFLICT` where the fork is.
   */
  fork(
    threadId: string,
    options: {
      readonly at: string;
      readonly as: string;
      readonly under?: string;
      readonly operationId?: string;
      readonly signal?: AbortSignal;
    },
  ): Promise<{ readonly threadId: string }>;
  /** Reads what a list shows of a thread; `undefined` where there is none. */
  getMetadata(
    threadId: string,
    options?: { readonly signal?: AbortSignal },
  ): Promise<ThreadMetadata | undefined>;
  /**
   * Changes what a list shows of a thread, all of it or nothing; other writers' changes of other fields stay. It creates the thread where it is missing, at version 0. Forks
   * begin with what their parent has.
   *
   * @returns The metadata afterwards.
   * @throws `HistoryError` with code `INVALID_OPTION` or `TOO_LARGE` where a value is none: see {@link MetadataChange}.
   */
  setMetadata(
    threadId: string,
    change: MetadataChange,
    options?: { readonly signal?: AbortSignal },
  ): Promise<ThreadMetadata>;
  /**
   * Lists the threads there are, each once. What is created, changed or deleted meanwhile may be on a page or not.
   *
   * @param options - `prefix` is text, never a pattern. `user` gives that user's threads only, the newest first by `updatedAtMs`; `newestFirst` gives all in that order, without
   * either it is one of the store's own. `withoutForks` leaves out what `fork` made, `idleSinceMs` what was changed after that moment. `cursor` is that of the page before with the same options, and opaque; `limit` is at most how many, default 100: a page may have fewer, none even,
   * as long as it has a cursor.
   * @returns A `cursor` as long as there may be more.
   * @throws `HistoryError` with code `INVALID_OPTION` if `limit` is not a non-negative integer or `Infinity`.
   */
  list(options?: {
    readonly prefix?: string;
    readonly user?: string;
    readonly newestFirst?: boolean;
    readonly withoutForks?: boolean;
    readonly idleSinceMs?: number;
    readonly cursor?: string;
    readonly limit?: number;
    readonly signal?: AbortSignal;
  }): Promise<{ readonly threads: readonly ThreadMetadata[]; readonly cursor?: string }>;
  /**
   * Erases a thread: entries, summaries, state, metadata, and its name. A late write to it is refused with `THREAD_DELETED`, also where there was none: the store knows the name by a keyed hash.
   * Forks live on, unless `includeForks` erases all threads named `<threadId>/…` too, those that are still being made included. What fails half way is finished by the same call
   * once more.
   *
   * @throws `HistoryError` with code `THREAD_HELD` if one of them is held: nothing was erased then.
   */
  delete(threadId: string, options?: DeleteOptions): Promise<ErasureReceipt>;
  /**
   * Erases all threads of a user, as `delete` does, with their forks and what is named below them; but for threads below that are another user's own. What fails half way, or is written
   * meanwhile, is finished by the same call once more.
   *
   * @throws `HistoryError` with code `THREAD_HELD` if one of them is held: nothing was erased then; `INVALID_OPTION`.
   */
  eraseUser(user: string, options?: ErasureOptions): Promise<ErasureReceipt>;
  /**
   * Erases entries from a thread, and their copies from the forks of its family: `<root>/…`, of the thread that it was forked from in the end. With them go the summaries that cover one of them (what
   * else they covered is shown again) or that `ids` name, the values of state that name or quote one (of a value that pairs numbers with texts, `[[1, "text"], …]`, only the texts: citation numbers stay taken), and a title that quotes one. What is left is read as if they had never been; positions, versions and
   * `entryCount` stay. A late retry is refused with `ENTRY_ERASED`, known by a keyed hash of the id. What fails half way is finished by the same call once more; what is not there is not counted.
   *
   * @param ids - At most 500.
   * @throws `HistoryError` with code `THREAD_HELD` if one of the threads is held: nothing was erased then; `NOT_FOUND` for a thread that is not there, `TOO_LARGE`, `THREAD_CORRUPT`.
   */
  eraseEntries(
    threadId: string,
    ids: readonly string[],
    options?: ErasureOptions,
  ): Promise<ErasureReceipt>;
  /**
   * Erases what is kept no longer, by the store's `retention` or by what is given here: idle threads as `delete` does, with what is named below them, as long as none of those was changed
   * since; and of longer threads the oldest entries, as `eraseEntries` does. Held threads stay. For a job that runs now and then; linear in the number of threads, and for each that is
   * too long in what it keeps and what goes.
   *
   * @param options - `limit` is at most how many threads at once, default 100. `archive` is called before a thread is erased, with its export and the id; what it throws ends the sweep.
   * @throws `HistoryError` with code `INVALID_OPTION` if there is neither `idleMs` nor `maxEntries`, or one is not a non-negative integer or `Infinity`.
   */
  sweep(options?: SweepOptions): Promise<ErasureReceipt>;
  /**
   * Writes a thread, and all threads named `<threadId>/…`, as lines of JSON: entries with their counts, summaries of every layer of every view, state, title, user and
   * tags. Two exports of one thread are equal to the byte, whichever stores keep it.
   *
   * Left out is what belongs to the store and not to the conversation: versions and revisions, times, ids of replaced entries and operations; and, where an end of the thread
   * was replaced, the plans of the history manager.
   *
   * Reads in pages of 500 entries. What is written meanwhile to a log makes it fail.
   *
   * @returns Lines, each with its line break.
   * @throws `HistoryError` with code `NOT_FOUND`, `THREAD_CORRUPT` where a row cannot be read (`details.position`, and `count`), `VERSION_CONFLICT` where the thread changes meanwhile.
   */
  exportThread(
    threadId: string,
    options?: { readonly signal?: AbortSignal | undefined },
  ): AsyncIterable<string>;
  /**
   * Reads an export into a thread that is not there yet, under any name; its forks come along below that name.
   *
   * - Nobody finds the thread, or one below it, before all that was written is equal to the export, by its sum.
   * - What fails in the middle is finished by the same import once more, by any process: nothing is doubled. The same import of a thread that is whole writes nothing
   *   (`duplicate`). To give up instead, delete the thread with `includeForks`.
   * - Each line is checked with all before it, before it is written. `checkExport` of store-kit does the same for the whole text without writing.
   *
   * Versions count the entries, revisions begin at 0 and 1 again, times are those of the import: read before you write with what you remember of the other store. Late retries
   * of writes belong to the other store, too. Writes batches as large as a store takes, and holds one in memory.
   *
   * @param text - What `exportThread` gave, in pieces cut anywhere.
   * @param options - `afterDelete` lets a deleted thread come back under its own name.
   * @throws `HistoryError` with code `INVALID_ENTRY` where a line is damaged, missing or out of order, `UNKNOWN_VERSION` where a newer release wrote it (`details.line`; nothing is quoted);
   * `VERSION_CONFLICT` where another thread is there, or others write to it.
   */
  importThread(
    threadId: string,
    text: AsyncIterable<string> | Iterable<string>,
    options?: { readonly afterDelete?: boolean; readonly signal?: AbortSignal | undefined },
  ): Promise<ImportedThread>;
  /** Asks whether the store answers now: for a health check. It reads no thread and writes nothing; a store that makes its tables or its file with the first call may do so. */
  ping(options?: { readonly signal?: AbortSignal }): Promise<void>;
  /** Describes the store and its current durability. */
  describe(): Promise<StoreDescription>;
  /** Checks that a thread's log and index agree; a missing thread is valid. Linear. */
  verify(
    threadId: string,
    options?: { readonly signal?: AbortSignal },
  ): Promise<readonly StoredEntryProblem[]>;
  /** Closes this handle after its pending writes. Closing twice is allowed. */
  close(): Promise<void>;
}

/** Options of an erasure. */
export interface ErasureOptions {
  /** Only counts what would be erased. Default `false`. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface DeleteOptions extends ErasureOptions {
  /** Erases all threads named `<threadId>/…` too. Default `false`. */
  readonly includeForks?: boolean;
}

/**
 * Changes entries before they are hashed, counted and stored, for example to remove secrets.
 *
 * It returns the entry itself where nothing changes, keeps ids and types, and gives the same for the same entry, also in another process: else a retry is another entry.
 */
export type BeforeStore = (
  entry: HistoryEntry,
  thread: { readonly threadId: string },
) => HistoryEntry | Promise<HistoryEntry>;

/** What a store keeps. Nothing expires by itself: call {@link HistoryStore.sweep}. */
export interface Retention {
  /** Erases threads whose log and metadata have not changed for this many milliseconds. Default `Infinity`. */
  readonly idleMs?: number | undefined;
  /** Keeps this many of the newest entries of each thread, fewer if that would begin within a turn. Instructions and memories always stay and do not count. Default `Infinity`. */
  readonly maxEntries?: number | undefined;
  /** Pinned entries stay, too, and do not count. Default `true`. */
  readonly keepPinned?: boolean | undefined;
}

/** Options of a sweep. */
export interface SweepOptions extends ErasureOptions, Retention {
  readonly limit?: number;
  readonly archive?: (threadId: string, lines: AsyncIterable<string>) => Promise<void>;
}

/** The result of an erasure. It names no thread and quotes nothing, so it may be kept. */
export interface ErasureReceipt {
  readonly erasure: "delete" | "eraseUser" | "eraseEntries" | "sweep";
  /** The kind of the store, as in `describe`. */
  readonly store: string;
  readonly atMs: number;
  /** A dry run: nothing was erased. */
  readonly dryRun: boolean;
  /** Threads erased in whole or in part. */
  readonly threads: number;
  readonly entries: number;
  readonly summaries: number;
  /** Values of state: plans, numbers, files of a memory tool. */
  readonly states: number;
  /** What the engine's files may still hold, and how to clear it. Backups and replicas are your responsibility. */
  readonly remains: readonly ErasureRemains[];
}

/** Where erased data may remain. */
export interface ErasureRemains {
  readonly where: string;
  /** The command that clears it. */
  readonly clear: string;
}

/** Result of an import. */
export interface ImportedThread {
  /** The thread and its forks. */
  readonly threads: number;
  readonly entries: number;
  /** The thread existed already and equals the export. Nothing was written. */
  readonly duplicate: boolean;
}

/** One value of a thread's state. */
export interface StateItem {
  readonly key: string;
  readonly value: JsonValue;
  readonly revision: number;
}

/** Description of a store. */
export interface StoreDescription {
  readonly kind: string;
  /** What a crash may lose, in one sentence. */
  readonly durability: string;
  readonly details: { readonly [key: string]: JsonValue };
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

/** Most entries in one batch. */
export const MAX_BATCH_ENTRIES = 500;
/** Most bytes in one batch: UTF-8 JSON of the stored form. */
export const MAX_BATCH_BYTES = 4_000_000;
/** Most ids in all clauses of one query together. */
export const MAX_QUERY_IDS = 500;
/** Most bytes of one entry (summaries included) and of one value of state. */
export const MAX_ENTRY_BYTES = 1_000_000;
/** Most UTF-16 code units in the id of a thread or fork, and in a key of state. */
export const MAX_NAME_LENGTH = 2000;
