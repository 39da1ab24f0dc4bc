import { setImmediate } from "node:timers/promises";

import { HistoryError } from "@agent-history/core";
import { requireName } from "@agent-history/core/stored-form";
import { textKey } from "@agent-history/store-kit";

import type { Transactions } from "./connection.ts";
import { numberOf } from "./sql.ts";
import type { Sql } from "./sql.ts";
import { createThread, parentOf } from "./thread-row.ts";
import { findUnfinished, isUnfinished } from "./unfinished-forks.ts";

const BESIDE_LOG = [
  "facts",
  "refs",
  "streams",
  "summaries",
  "views",
  "state",
  "replaced",
  "operations",
];

/** How many rows go before others have their turn. */
const SLICE_ROWS = 2000;

/**
 * Deletes a thread and leaves its name. Entries that a fork shares stay as long as the fork. The first transaction says that the thread is deleted;
 * its rows go in further ones, a slice each. Where a process dies between two of them, deleting the thread again removes what is left.
 *
 * @throws `HistoryError` with code `OUTCOME_UNKNOWN` where the thread is deleted, and some of its rows could not be removed.
 */
export async function deleteThread(
  { write }: Pick<Transactions, "write">,
  threadId: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  requireName("threadId", threadId);
  const thread = await write((sql) => markDeleted(sql, threadId), signal);
  try {
    await removeRows(write, thread);
  } catch (cause) {
    throw new HistoryError(
      "The thread is deleted, but some of its rows are still in the file. Delete it again to remove them.",
      { code: "OUTCOME_UNKNOWN", cause },
    );
  }
}

/** Removes the rows of a deleted thread, or of a fork that is not finished. */
export async function removeRows(
  write: Transactions["write"],
  first: number | undefined,
): Promise<void> {
  let thread = first;
  while (thread !== undefined) {
    await setImmediate();
    const next: number = thread;
    thread = await write((sql) => removeSlice(sql, next));
  }
}

/** Says that a thread is deleted; gives its number where it may have rows. */
function markDeleted(sql: Sql, threadId: string): number | undefined {
  const row = sql.get("SELECT thread, deleted FROM threads WHERE id = ?", textKey(threadId));
  if (row === undefined) {
    createThread(sql, threadId, { version: 0, isDeleted: true });
    return undefined;
  }
  const thread = numberOf(row, "thread");
  if (numberOf(row, "deleted") === 0) {
    sql.run(
      "UPDATE threads SET deleted = 1, head = NULL, title = NULL, user = NULL, tags = NULL WHERE thread = ?",
      thread,
    );
  }
  return removeSlice(sql, thread);
}

/** Removes rows of a deleted thread; gives the number of the thread that is next: itself, or where all is gone the one that it shared entries of. */
function removeSlice(sql: Sql, thread: number): number | undefined {
  const row = sql.get("SELECT id, thread, parent, deleted FROM threads WHERE thread = ?", thread);
  if (row?.["deleted"] !== 1) return undefined;
  const unfinished = isUnfinished(row) ? undefined : findUnfinished(sql, thread);
  if (unfinished !== undefined) {
    removeSlice(sql, unfinished);
    return thread;
  }
  let left = SLICE_ROWS;
  for (const table of BESIDE_LOG) {
    left -= sql.run(
      `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE thread = ? LIMIT ?)`,
      thread,
      left,
    );
    if (left === 0) return thread;
  }
  const kept = sharedByForks(sql, thread);
  left -= sql.run(
    "DELETE FROM entries WHERE rowid IN (SELECT rowid FROM entries WHERE thread = ? AND position >= ? LIMIT ?)",
    thread,
    kept,
    left,
  );
  if (left === 0) return thread;
  if (isUnfinished(row)) sql.run("DELETE FROM threads WHERE thread = ?", thread);
  sql.run("UPDATE threads SET version = ? WHERE thread = ? AND version <> ?", kept, thread, kept);
  return row["parent"] === null ? undefined : parentOf(row);
}

/** How many of a thread's entries its forks share. */
function sharedByForks(sql: Sql, thread: number): number {
  const row = sql.get(
    "SELECT coalesce(max(min(shared, version)), 0) AS kept FROM threads WHERE parent = ?",
    thread,
  );
  return numberOf(row, "kept");
}
