import { HistoryError } from "@agent-history/core";
import type { EntryRun, HistoryView, SummaryEntry } from "@agent-history/core";
import { commitProgram, expandProgram, runProgram, textKey } from "@agent-history/store-kit";
import type { CompactionChange } from "@agent-history/store-kit";

import { answerFetch, rowOfEntry, summariesOf } from "./answer-fetch.ts";
import { summaryChecksum } from "./checksum.ts";
import type { Sql } from "./sql.ts";
import { requireThread } from "./thread-row.ts";
import type { ThreadRow } from "./thread-row.ts";

/** Lets a summary stand in a view for what it covers. Within a transaction. */
export function commitCompaction(
  sql: Sql,
  threadId: string,
  options: {
    readonly view: HistoryView;
    readonly summary: SummaryEntry;
    readonly covers: readonly EntryRun[];
    readonly expectedViewRevision: number;
  },
): { readonly viewRevision: number } {
  const thread = requireThread(sql, threadId);
  const outcome = runProgram(commitProgram(options), (fetch) => answerFetch(sql, thread, fetch));
  return outcome.kind === "known"
    ? { viewRevision: outcome.viewRevision }
    : writeChange(sql, thread, outcome);
}

/** Takes a summary back. Within a transaction. */
export function expandSummary(
  sql: Sql,
  threadId: string,
  summaryId: string,
): { readonly viewRevision: number } {
  const thread = requireThread(sql, threadId);
  const change = runProgram(expandProgram({ summaryId }), (fetch) =>
    answerFetch(sql, thread, fetch),
  );
  return writeChange(sql, thread, change);
}

function writeChange(
  sql: Sql,
  thread: ThreadRow,
  { view, viewRevision, state, add, remove }: CompactionChange,
): { readonly viewRevision: number } {
  if (add !== undefined) {
    requireFreeId(sql, thread, add.id);
    addSummary(sql, thread.thread, add);
  }
  if (remove !== undefined) {
    sql.run("DELETE FROM summaries WHERE thread = ? AND id = ?", thread.thread, textKey(remove));
  }
  writeView(sql, thread.thread, view, { state, viewRevision: viewRevision + 1 });
  return { viewRevision: viewRevision + 1 };
}

function requireFreeId(sql: Sql, thread: ThreadRow, id: string): void {
  const isTaken =
    rowOfEntry(sql, thread, id) !== undefined || summariesOf(sql, thread, [id]).length > 0;
  if (!isTaken) return;
  throw new HistoryError(
    `The entry id ${JSON.stringify(id)} belongs to another entry of the thread. Nothing was written.`,
    { code: "DUPLICATE_ID", details: { entryId: id } },
  );
}

/** Adds a summary after all others. */
export function addSummary(
  sql: Sql,
  thread: number,
  { id, view, json }: { readonly id: string; readonly view: HistoryView; readonly json: string },
): void {
  sql.run(
    "INSERT INTO summaries (thread, id, view, json, sum) VALUES (?, ?, ?, ?, ?)",
    thread,
    textKey(id),
    textKey(view),
    json,
    summaryChecksum(textKey(id), textKey(view), json),
  );
}

/** Writes what a view is at. */
export function writeView(
  sql: Sql,
  thread: number,
  view: HistoryView,
  { state, viewRevision }: { readonly state: string; readonly viewRevision: number },
): void {
  sql.run(
    "INSERT INTO views (thread, view, state, view_revision) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET state = excluded.state, view_revision = excluded.view_revision",
    thread,
    textKey(view),
    state,
    viewRevision,
  );
}
