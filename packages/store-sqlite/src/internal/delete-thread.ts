import { requireName } from "@agent-history/core/schema";
import { textKey } from "@agent-history/store-kit";

import { numberOf } from "./sql.ts";
import type { Sql } from "./sql.ts";
import { createThread, parentOf } from "./thread-row.ts";

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

/** Deletes a thread and leaves its name. Entries that a fork shares stay as long as the fork. Within a transaction. */
export function deleteThread(sql: Sql, threadId: string): void {
  requireName("threadId", threadId);
  const row = sql.get("SELECT thread, deleted FROM threads WHERE id = ?", textKey(threadId));
  if (row === undefined) {
    createThread(sql, threadId, { version: 0, isDeleted: true });
    return;
  }
  if (numberOf(row, "deleted") === 1) return;
  const thread = numberOf(row, "thread");
  for (const table of BESIDE_LOG) sql.run(`DELETE FROM ${table} WHERE thread = ?`, thread);
  sql.run("UPDATE threads SET deleted = 1, head = NULL WHERE thread = ?", thread);
  releaseEntries(sql, thread);
}

/** Lets go of the entries of a deleted thread that no fork shares, and then of those that it shared itself. */
function releaseEntries(sql: Sql, deleted: number): void {
  let thread: number | undefined = deleted;
  while (thread !== undefined) {
    const row = sql.get("SELECT thread, parent, deleted FROM threads WHERE thread = ?", thread);
    if (row?.["deleted"] !== 1) return;
    const forks = sql.get(
      "SELECT coalesce(max(min(shared, version)), 0) AS kept FROM threads WHERE parent = ?",
      thread,
    );
    const kept = numberOf(forks, "kept");
    sql.run("DELETE FROM entries WHERE thread = ? AND position >= ?", thread, kept);
    sql.run("UPDATE threads SET version = ? WHERE thread = ?", kept, thread);
    thread = row["parent"] === null ? undefined : parentOf(row);
  }
}
