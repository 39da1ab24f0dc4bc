import { HistoryError } from "@agent-history/core";
import { requireName } from "@agent-history/core/stored-form";
import { countsOf, textKey } from "@agent-history/store-kit";
import type { ThreadCounts } from "@agent-history/store-kit";

import { numberOf, textOrNone } from "./sql.ts";
import type { Row, Sql } from "./sql.ts";

/** A thread as the file has it. */
export interface ThreadRow {
  /** Its number in this file. */
  readonly thread: number;
  /** How many entries it has. */
  readonly entryCount: number;
  /** How many changes its log has had. */
  readonly version: number;
  /** How many suffixes were replaced. */
  readonly replacements: number;
  readonly head: string | undefined;
  /** The highest revision of state that was removed. */
  readonly removedRevision: number;
  /** Where its log's rows are, newest first: one stretch of positions in itself, others in those it was forked from. */
  readonly stretches: readonly Stretch[];
}

/** Positions `from <= position < to` of a log, which stand in the rows of one thread. */
export interface Stretch {
  readonly thread: number;
  readonly from: number;
  readonly to: number;
}

/** Finds a thread; throws `THREAD_DELETED` where it was deleted, and `INVALID_OPTION` for a name that is none. */
export function findThread(sql: Sql, threadId: string): ThreadRow | undefined {
  requireName("threadId", threadId);
  const row = sql.get("SELECT * FROM threads WHERE id = ?", textKey(threadId));
  if (row === undefined) return undefined;
  if (numberOf(row, "deleted") === 1) {
    throw new HistoryError("This thread was deleted. Begin another under a new id.", {
      code: "THREAD_DELETED",
    });
  }
  const head = textOrNone(row, "head");
  const entryCount = numberOf(row, "version");
  const counts = countsOf(head);
  const thread = {
    thread: numberOf(row, "thread"),
    entryCount,
    version: entryCount + counts.version - counts.entryCount,
    replacements: counts.replacements,
    head,
    removedRevision: numberOf(row, "removed_revision"),
    stretches: stretchesOf(sql, row),
  };
  requirePlausible(sql, thread, counts);
  return thread;
}

/** A version that no rows stand for would have a read go through positions permanently. */
function requirePlausible(
  sql: Sql,
  { entryCount, stretches }: ThreadRow,
  counts: ThreadCounts,
): void {
  const claimed = Math.max(entryCount, counts.entryCount);
  const last = stretches.find(({ from }) => from < claimed);
  if (last === undefined) return;
  const row = sql.get("SELECT max(position) AS last FROM entries WHERE thread = ?", last.thread);
  const there = row?.["last"] === null ? 0 : numberOf(row, "last") + 1;
  const isWhole = Math.min(claimed, last.to) <= Math.max(there, last.from) + MOST_MISSING;
  if (!isWhole || last.from > claimed) throw corrupt("version");
}

/** This many rows may be missing that are then reported one by one. */
const MOST_MISSING = 1000;

/** Says that the rows of a thread contradict each other. */
function corrupt(reason: string): HistoryError {
  return new HistoryError(
    `Expected the rows of the thread to agree (${reason}). Nothing was written; restore a backup, or read what is left.`,
    { code: "THREAD_CORRUPT", details: { reason } },
  );
}

/** Finds a thread; throws `NOT_FOUND` where it is not there. */
export function requireThread(sql: Sql, threadId: string): ThreadRow {
  const thread = findThread(sql, threadId);
  if (thread !== undefined) return thread;
  throw new HistoryError("There is no thread with this id. Append to it first.", {
    code: "NOT_FOUND",
  });
}

/** Writes a new thread down; gives its number. */
export function createThread(
  sql: Sql,
  threadId: string,
  fields: {
    readonly version: number;
    readonly head?: string;
    readonly parent?: number;
    readonly isDeleted?: boolean;
  },
): number {
  const { version, head = null, parent = null, isDeleted = false } = fields;
  const now = Date.now();
  const row = sql.get(
    "INSERT INTO threads (id, version, head, parent, shared, deleted, created_at_ms, updated_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING thread",
    textKey(threadId),
    version,
    head,
    parent,
    parent === null ? 0 : version,
    isDeleted ? 1 : 0,
    now,
    now,
  );
  return numberOf(row, "thread");
}

/** A thread is begun before its forks: its number is the lower one, so that no chain of parents has a cycle. */
export function parentOf(row: Row): number {
  const parent = numberOf(row, "parent");
  if (parent >= numberOf(row, "thread")) throw corrupt("parent");
  return parent;
}

function stretchesOf(sql: Sql, row: Row): readonly Stretch[] {
  const stretches: Stretch[] = [];
  let owner: Row | undefined = row;
  let to = Infinity;
  while (owner !== undefined) {
    const from = numberOf(owner, "shared");
    if (from < to) stretches.push({ thread: numberOf(owner, "thread"), from, to });
    to = Math.min(to, from);
    if (to === 0 || owner["parent"] === null) break;
    owner = sql.get("SELECT * FROM threads WHERE thread = ?", parentOf(owner));
  }
  return stretches;
}
