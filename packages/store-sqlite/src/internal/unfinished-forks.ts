import { HistoryError } from "@agent-history/core";
import { textKey } from "@agent-history/store-kit";

import { writeIndex } from "./append-batch.ts";
import { numberOf, textOf } from "./sql.ts";
import type { Row, Sql } from "./sql.ts";
import { createThread } from "./thread-row.ts";

/** Begins the ids of forks whose index is being written. No key of a name has a bare quote. */
const UNFINISHED = '"';

/** A part of the index of a fork. */
export type IndexPart = Parameters<typeof writeIndex>[2];

/** A fork whose index is being written. */
export interface UnfinishedFork {
  readonly thread: number;
  /** What its row is known by: a number may have been given to another thread since. */
  readonly id: string;
}

/** Begins a fork that nobody can find yet: its row stands as a deleted one, so that its parent keeps the entries. */
export function beginFork(sql: Sql, parent: number, version: number): UnfinishedFork {
  const thread = createThread(sql, "", { version, parent, isDeleted: true });
  const row = sql.get(
    "UPDATE threads SET id = ? || hex(randomblob(16)) WHERE thread = ? RETURNING id",
    UNFINISHED,
    thread,
  );
  return { thread, id: textOf(row, "id") };
}

/** Writes a part of the index of a fork that was begun. */
export function writePart(sql: Sql, fork: UnfinishedFork, part: IndexPart): void {
  requireThere(sql, fork);
  writeIndex(sql, fork.thread, part);
}

/** Lets everybody find a fork. */
export function finishFork(sql: Sql, fork: UnfinishedFork, forkId: string): void {
  requireThere(sql, fork);
  sql.run(
    "UPDATE threads SET id = ?, deleted = 0, (title, user, tags) = (SELECT p.title, p.user, p.tags FROM threads p WHERE p.thread = threads.parent) WHERE thread = ?",
    textKey(forkId),
    fork.thread,
  );
}

/** Deleting the parent removes its unfinished forks. */
function requireThere(sql: Sql, fork: UnfinishedFork): void {
  if (isThere(sql, fork)) return;
  throw new HistoryError("The thread was deleted while it was forked. Begin another.", {
    code: "THREAD_DELETED",
  });
}

/** Returns whether a fork that was begun is still to be finished. */
export function isThere(sql: Sql, { id }: UnfinishedFork): boolean {
  return sql.get("SELECT 1 FROM threads WHERE id = ?", id) !== undefined;
}

/** Finds a fork of a thread that was begun and not finished. */
export function findUnfinished(sql: Sql, parent: number): number | undefined {
  const row = sql.get(
    "SELECT thread FROM threads WHERE parent = ? AND deleted = 1 AND substr(id, 1, 1) = ? LIMIT 1",
    parent,
    UNFINISHED,
  );
  return row === undefined ? undefined : numberOf(row, "thread");
}

/** Returns whether the row of a thread is one of a fork that was not finished. */
export function isUnfinished(row: Row): boolean {
  return textOf(row, "id").startsWith(UNFINISHED);
}
