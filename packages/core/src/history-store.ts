import type { EntryRun, HistoryEntry, SummaryEntry } from "./history-entry.ts";
import type { HistoryQuery } from "./history-query.ts";
import type { HistoryView } from "./history-view.ts";
import type { JsonValue } from "./json.ts";
import type { MetadataChange, ThreadMetadata } from "./thread-metadata.ts";

/** Precondition of a write: a version, no thread yet, some thread, or any. */
export type ExpectedVersion = number | "none" | "exists" | "any";

/** Options of every call. */
export interface Cancelable {
  readonly signal?: AbortSignal | undefined;
}

/** Options of a list that comes in pages. */
export interface PageOptions extends Cancelable {
  /** Text, never a pattern. */
  readonly prefix?: string;
  readonly cursor?: string;
  readonly limit?: number;
}

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
 * - An entry is written once by its id. A retry of the same batch succeeds (`duplicate`), whatever version it expects, with or without turn ids. Entries and
 *   summaries share one id space in a thread.
 * - `expectedVersion` is compared atomically: of several writers at one version, one wins.
 * - `read(thread, { query })` equals `selectEntries(applyCompactions(all, query.view), query)`, and with `originals`
 *   `selectEntries(all, query)`, forks included. One read sees one state of the thread: its `version` fits its `entries`.
 * - A compaction commits summary and coverage together, in one view, and raises that view's revision, never the thread's version; so it fails no
 *   append. The originals stay, and `expand` gives them back, layer by layer (L11).
 * - A deleted thread stays deleted: its tombstone refuses late retries permanently.
 * - Returned entries are copies, as JSON: `-0` is read as `0`. Strings, ids included, are stored exactly, to the last code unit.
 * - What JSON would change or lose is refused before anything is written, in an entry and in a value of state: `undefined` inside a value, `NaN`, a
 *   bigint, a function, a `Date`, more than 256 levels. A field of an entry that is `undefined` counts as missing. The error names the key's path.
 * - An unreadable row is reported; all other rows are read.
 *
 * What no store promises:
 * - Exactly-once for a caller that retries with new ids. Retry with the same ids.
 * - An order across threads, and a transaction over two of them.
 * - More durability than `describe()` reports. A server that fails over may lose acknowledged writes; a handle that notices it throws
 *   `HISTORY_REWOUND`.
 * - Erasure on the disk: files of the engine may hold the data for a while. The receipt of an erasure says where, and how to clear it.
 * - Push notifications. To follow a thread, poll with `after`, the id of the last entry you have: every entry is returned once, in
 *   order; if that entry was replaced, `HISTORY_REWOUND` says from where to read again.
 *
 * All methods are required. Every method fails with `STORE_UNAVAILABLE` if nothing was written (also
 * after `close`), with `OUTCOME_UNKNOWN` if the answer to a write was lost, with `ABORTED` if its signal had fired, with
 * `INVALID_OPTION` for an empty thread id, with `TOO_LARGE` for one of more than 2,000 characters, and all but `list`, `ping`, `describe`, `delete` and `close` with `THREAD_DELETED`.
 */
export interface HistoryStore {
  /**
   * Appends a batch to a thread; creates the thread if it does not exist. An empty batch writes and creates nothing, but checks
   * the version.
   *
   * An entry without a `turnId` gets one: that of the newest turn, or its own id if it begins a turn. A user message begins a turn, unless the newest turn has only
   * user messages so far; in a thread without user messages, so does a `task` that no agent gave, if it is for the agent of the first task. Attachments, system
   * messages, memories and summaries before the first turn get none.
   *
   * Limits: 500 entries and 4,000,000 bytes a batch, 1,000,000 bytes an entry (UTF-8, as JSON in the stored form, without its turn id). A summary of a
   * view is refused: use `commitCompaction`.
   *
   * @returns The thread's version, and whether the batch was stored before.
   * @throws `HistoryError` with code `TOO_LARGE` or `INVALID_ENTRY` before anything is sent; `DUPLICATE_ID` if an id belongs to
   * another entry or only a part of the batch is known; `VERSION_CONFLICT`; `THREAD_CORRUPT`.
   */
  append(
    threadId: string,
    entries: readonly HistoryEntry[],
    options?: Cancelable & {
      /** Default `any`. */
      readonly expectedVersion?: ExpectedVersion;
      /** Token counts to store beside the entries, by counter id, one for each of `entries`. Ignored on a retry. */
      readonly tokens?: ReadonlyMap<string, readonly number[]>;
    },
  ): Promise<{ readonly version: number; readonly duplicate: boolean }>;
  /**
   * Returns what a query selects; without a query, everything. A thread that does not exist is empty.
   *
   * @throws `HistoryError` with code `INVALID_QUERY` if a limit is not a non-negative integer or `Infinity`, `NOT_FOUND` if `before` or `after` is not
   * in the view, `HISTORY_REWOUND` if `after` was replaced: `details.lastCommonId` is the last entry before it that was not (missing if there is none).
   */
  read(
    threadId: string,
    options?: Cancelable & {
      readonly query?: HistoryQuery;
      /** Reads the log as it was written, without compactions. Default `false`. */
      readonly originals?: boolean;
    },
  ): Promise<ReadResult>;
  /**
   * Replaces the log from one entry to its end, in one step: to edit a message, regenerate an answer, or reset.
   *
   * - The ids of replaced entries stay known: appending one of them again is a `duplicate` if it is equal, otherwise `DUPLICATE_ID`. Only `replacement` may reuse these ids.
   * - Summaries that cover a replaced entry are removed, and their ids become free. The revision of every view rises by one, the version by one plus the length of `replacement`.
   * - Forks keep what they share. State does not change.
   * - Repeating the same operation changes nothing and returns the first result, whatever version it expects.
   *
   * Linear in what is replaced, and in at most 564 entries before it.
   *
   * @param options - `from` is the id of the first replaced entry. `replacement` may be empty; the limits of `append` apply. `operationId` is chosen by the
   * caller, 1 to 2,000 characters; `tokens` are as in `append`.
   * @returns The thread's version.
   * @throws `HistoryError` with code `NOT_FOUND` if the thread or `from` does not exist, `VERSION_CONFLICT`, `DUPLICATE_ID` if `replacement` has an id
   * of an entry that stays or the operation had other content, `TOO_LARGE`, `INVALID_ENTRY`, `THREAD_CORRUPT` if a replaced row, or one of those before it, cannot be read.
   */
  replaceSuffix(
    threadId: string,
    options: Cancelable & {
      readonly from: string;
      readonly expectedVersion: ExpectedVersion;
      readonly replacement: readonly HistoryEntry[];
      readonly operationId: string;
      readonly tokens?: ReadonlyMap<string, readonly number[]>;
    },
  ): Promise<{ readonly version: number }>;
  /**
   * Commits a summary to a view: it replaces runs of what the view shows now, summaries included. A run begins and ends with an entry that may be covered: neither a system
   * message nor a pinned entry. Repeating the same summary succeeds and changes nothing, whatever revision it expects.
   *
   * @returns The view's revision.
   * @throws `HistoryError` with code `VERSION_CONFLICT` if the view has another revision, `NOT_FOUND` if the thread does not exist, or a run is not in
   * the view or may not be covered, `DUPLICATE_ID` if the summary's id belongs to something else, `TOO_LARGE` as for an entry.
   */
  commitCompaction(
    threadId: string,
    options: Cancelable & {
      readonly view: HistoryView;
      readonly summary: SummaryEntry;
      readonly covers: readonly EntryRun[];
      readonly expectedViewRevision: number;
    },
  ): Promise<{ readonly viewRevision: number }>;
  /**
   * Undoes one layer: removes a summary, so that the view shows what it covered. Its id becomes free.
   *
   * @throws `HistoryError` with code `NOT_FOUND` if no view shows a summary of this id; if another summary covers it, expand that one first.
   */
  expand(
    threadId: string,
    summaryId: string,
    options?: Cancelable,
  ): Promise<{ readonly viewRevision: number }>;
  /**
   * Returns all summaries of all views, covered ones included, in the order of their commits; none for a thread that does not exist. Linear in the summaries.
   *
   * @throws `HistoryError` with code `INVALID_ENTRY` or `UNKNOWN_VERSION` if one of them cannot be read.
   */
  listSummaries(threadId: string, options?: Cancelable): Promise<readonly SummaryEntry[]>;
  /** Reads small JSON stored beside the log; `undefined` if there is none under this key. */
  getState(
    threadId: string,
    key: string,
    options?: Cancelable,
  ): Promise<{ readonly value: JsonValue; readonly revision: number } | undefined>;
  /**
   * Writes small JSON beside the log: at most 1,000,000 bytes, under a key of at most 2,000 characters. Creates the thread, at version
   * 0, if it does not exist. `undefined` removes the value; a removal creates no thread. Revisions are never reused: a value written after a removal has a
   * higher one than all that were removed.
   *
   * @param options - `expectedRevision` is 0 if there is no value under the key.
   * @returns The revision; 0 after a removal.
   * @throws `HistoryError` with code `VERSION_CONFLICT` if the revision is another, `TOO_LARGE`.
   */
  setState(
    threadId: string,
    key: string,
    value: JsonValue | undefined,
    options: Cancelable & { readonly expectedRevision: number },
  ): Promise<{ readonly revision: number }>;
  /**
   * Lists the state of a thread, each key once, in an order of the store's own. Values written or removed meanwhile may be missing. Empty for a thread that
   * does not exist.
   *
   * @param options - `prefix` is text, never a pattern; `cursor` is that of the previous page, and opaque; `limit` is the most values on a page, default 100.
   * @returns A `cursor` as long as there may be more.
   * @throws `HistoryError` with code `INVALID_OPTION` if `limit` is not a non-negative integer or `Infinity`.
   */
  listState(
    threadId: string,
    options?: PageOptions,
  ): Promise<{ readonly items: readonly StateItem[]; readonly cursor?: string }>;
  /**
   * Creates a thread `<threadId>/<as>` with copies of the entries up to `at`, their counts, and the summaries that cover only these. State is
   * not copied, and the revisions of its views begin at 0. The two threads are independent from then on. The fork is not visible before it is complete. Linear in what is copied.
   *
   * @param options - `under` names the fork `<under>/<as>`: `threadId` (the default) or a prefix of it that ends before a `/`, so that a fork of a fork needs only one of the names.
   * With an `operationId`, 1 to 2,000 characters chosen by the caller, repeating the same fork succeeds and changes nothing.
   * @throws `HistoryError` with code `INVALID_OPTION` if `as` is empty or has a `/`, or `under` is another name, `NOT_FOUND` if the thread or the entry does not
   * exist, `VERSION_CONFLICT` if the fork exists.
   */
  fork(
    threadId: string,
    options: Cancelable & {
      readonly at: string;
      readonly as: string;
      readonly under?: string;
      readonly operationId?: string;
    },
  ): Promise<{ readonly threadId: string }>;
  /** Returns the metadata of a thread; `undefined` if it does not exist. */
  getMetadata(threadId: string, options?: Cancelable): Promise<ThreadMetadata | undefined>;
  /**
   * Changes the metadata of a thread, atomically; changes of other fields by other writers are kept. Creates the thread, at version 0, if it does not exist. Forks
   * begin with the metadata of their parent.
   *
   * @returns The metadata afterwards.
   * @throws `HistoryError` with code `INVALID_OPTION` or `TOO_LARGE` for an invalid value: see {@link MetadataChange}.
   */
  setMetadata(
    threadId: string,
    change: MetadataChange,
    options?: Cancelable,
  ): Promise<ThreadMetadata>;
  /**
   * Lists threads, each once. Threads that are created, changed or deleted meanwhile may be missing.
   *
   * @param options - `prefix` is text, never a pattern. `user` lists that user's threads only, the most recently updated first; `newestFirst` lists all threads in that order; without
   * either, the order is the store's own. `withoutForks` leaves out forks, `idleSinceMs` threads that were changed after that moment. `cursor` is that of the previous page, with the same
   * options, and opaque. `limit` is the most threads on a page, default 100; a page may have fewer, or none, and still have a cursor.
   * @returns A `cursor` as long as there may be more.
   * @throws `HistoryError` with code `INVALID_OPTION` if `limit` is not a non-negative integer or `Infinity`.
   */
  list(
    options?: PageOptions & {
      readonly user?: string;
      readonly newestFirst?: boolean;
      readonly withoutForks?: boolean;
      readonly idleSinceMs?: number;
    },
  ): Promise<{ readonly threads: readonly ThreadMetadata[]; readonly cursor?: string }>;
  /**
   * Erases a thread: entries, summaries, state, metadata and its name. Late writes to it are refused with `THREAD_DELETED`, even if it never existed: the store recognizes the name by a keyed hash.
   * Forks are kept, unless `includeForks` also erases all threads named `<threadId>/…`, unfinished ones included. If it fails half way, the same call
   * finishes it.
   *
   * @throws `HistoryError` with code `THREAD_HELD` if one of them is held; then nothing was erased.
   */
  delete(threadId: string, options?: DeleteOptions): Promise<ErasureReceipt>;
  /**
   * Erases all threads of a user, as `delete` does, with their forks and all threads named below them, except another user's own. If it fails half way, or threads are written
   * meanwhile, the same call finishes it.
   *
   * @throws `HistoryError` with code `THREAD_HELD` if one of them is held; then nothing was erased; `INVALID_OPTION`.
   */
  eraseUser(user: string, options?: ErasureOptions): Promise<ErasureReceipt>;
  /**
   * Erases entries from a thread, and their copies from all forks of its family (`<root>/…`). It also erases:
   *
   * - summaries that cover one of them (whatever else they covered is shown again), and summaries named in `ids`;
   * - values of state that name or quote one; of a value that pairs numbers with texts, `[[1, "text"], …]`, only the texts, so that citation numbers stay taken;
   * - a title that quotes one.
   *
   * The rest reads as if the entries had never existed; positions, versions and `entryCount` do not change. A late retry is refused with `ENTRY_ERASED`, by a keyed hash of the
   * id. If it fails half way, the same call finishes it. Ids that do not exist are not counted.
   *
   * @param ids - At most 500.
   * @throws `HistoryError` with code `THREAD_HELD` if one of the threads is held; then nothing was erased; `NOT_FOUND` for a thread that does not exist, `TOO_LARGE`, `THREAD_CORRUPT`.
   */
  eraseEntries(
    threadId: string,
    ids: readonly string[],
    options?: ErasureOptions,
  ): Promise<ErasureReceipt>;
  /**
   * Erases what has expired by the store's `retention` or the options given here: idle threads as `delete` does, with all threads named below them, unless one of those was changed
   * since; and the oldest entries of longer threads, as `eraseEntries` does. Held threads are kept. Run it periodically. Linear in the number of threads, and, for each thread that is
   * too long, in its entries.
   *
   * @param options - `limit` is the most threads in one call, default 100. `archive` is called with a thread's id and export before it is erased; if it throws, the sweep ends.
   * @throws `HistoryError` with code `INVALID_OPTION` if there is neither `idleMs` nor `maxEntries`, or one is not a non-negative integer or `Infinity`.
   */
  sweep(options?: SweepOptions): Promise<ErasureReceipt>;
  /**
   * Exports a thread, and all threads named `<threadId>/…`, as lines of JSON: entries with their counts, summaries of every layer of every view, state, title, user and
   * tags. Two exports of one thread are equal to the byte, whichever store keeps it.
   *
   * Not exported: versions, revisions, times, ids of replaced entries and operations; and, if a suffix of the thread was replaced, the plans of the history manager.
   *
   * Reads pages of 500 entries. Fails if the log is written meanwhile.
   *
   * @returns Lines, each with its line break.
   * @throws `HistoryError` with code `NOT_FOUND`, `THREAD_CORRUPT` if a row cannot be read (`details.position`), `VERSION_CONFLICT` if the thread changes meanwhile.
   */
  exportThread(threadId: string, options?: Cancelable): AsyncIterable<string>;
  /**
   * Imports an export into a thread that does not exist yet, under any name; its forks are imported below that name.
   *
   * - The threads are not visible before everything written equals the export, by its checksum.
   * - If it fails half way, the same import finishes it, in any process; nothing is stored twice. Importing into a complete equal thread writes nothing
   *   (`duplicate`). To give up, delete the thread with `includeForks`.
   * - Each line is checked against all lines before it is written. `checkExport` of store-kit checks a whole export without writing.
   *
   * Versions count the entries, revisions begin at 0 or 1, and times are those of the import: values remembered from the other store do not apply, nor do late
   * retries of its writes. Writes batches as large as a store takes, and holds one in memory.
   *
   * @param text - The output of `exportThread`, in pieces of any size.
   * @param options - `afterDelete` allows a deleted thread to be created again under its own name.
   * @throws `HistoryError` with code `INVALID_ENTRY` if a line is damaged, missing or out of order, `UNKNOWN_VERSION` if a newer release wrote it (`details.line`; nothing is quoted);
   * `VERSION_CONFLICT` if another thread has the name, or others write to it.
   */
  importThread(
    threadId: string,
    text: AsyncIterable<string> | Iterable<string>,
    options?: Cancelable & { readonly afterDelete?: boolean },
  ): Promise<ImportedThread>;
  /** Checks that the store answers: for a health check. Reads no thread and writes nothing, but may create the store's tables or file. */
  ping(options?: Cancelable): Promise<void>;
  /** Describes the store and its current durability. */
  describe(): Promise<StoreDescription>;
  /** Checks that a thread's log and index agree; a missing thread is valid. Linear. */
  verify(threadId: string, options?: Cancelable): Promise<readonly StoredEntryProblem[]>;
  /** Closes this handle after its pending writes. Closing twice is allowed. */
  close(): Promise<void>;
}

/** Options of an erasure. */
export interface ErasureOptions extends Cancelable {
  /** Only counts what would be erased. Default `false`. */
  readonly dryRun?: boolean;
}

/** Options of {@link HistoryStore.delete}. */
export interface DeleteOptions extends ErasureOptions {
  /** Erases all threads named `<threadId>/…` too. Default `false`. */
  readonly includeForks?: boolean;
}

/**
 * Changes entries before they are hashed, counted and stored, for example to remove secrets.
 *
 * Returns the entry itself if nothing changes. Keep ids and types, and return the same for the same entry in every process; otherwise a retry is a different entry.
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
