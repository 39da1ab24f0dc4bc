import { HistoryError } from "@agent-history/core";
import { requireName } from "@agent-history/core/schema";

import { numberOf, textOrNone } from "./sql.ts";
import type { Row, Sql } from "./sql.ts";
import { textKey } from "./text-key.ts";

/** A thread as the file has it. */
export interface ThreadRow {
  /** Its number in this file. */
  readonly thread: number;
  /** How many entries it has. */
  readonly version: number;
  readonly head: string | undefined;
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
  return {
    thread: numberOf(row, "thread"),
    version: numberOf(row, "version"),
    head: textOrNone(row, "head"),
    stretches: stretchesOf(sql, row),
  };
}

/** Finds a thread; throws `NOT_FOUND` where it is not there. */
export function requireThread(sql: Sql, threadId: string): ThreadRow {
  const thread = findThread(sql, threadId);
  if (thread !== undefined) return thread;
  throw new HistoryError("There is no thread of this id. Append to it first.", {
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
  const row = sql.get(
    `INSERT INTO threads (id, version, head, parent, shared, deleted) VALUES (?, ?, ?, ?, ?, ?) RETURNING thread`,
    textKey(threadId),
    version,
    head,
    parent,
    parent === null ? 0 : version,
    isDeleted ? 1 : 0,
  );
  return numberOf(row, "thread");
}

function stretchesOf(sql: Sql, row: Row): readonly Stretch[] {
  const stretches: Stretch[] = [];
  let owner: Row | undefined = row;
  let to = Infinity;
  while (owner !== undefined) {
    const from = numberOf(owner, "shared");
    if (from < to) stretches.push({ thread: numberOf(owner, "thread"), from, to });
    to = Math.min(to, from);
    if (owner["parent"] === null) break;
    owner = sql.get("SELECT * FROM threads WHERE thread = ?", numberOf(owner, "parent"));
  }
  return stretches;
}
