import { HistoryError } from "@agent-history/core";
import { forkProgram, runProgram } from "@agent-history/store-kit";

import { answerFetch } from "./answer-fetch.ts";
import { writeIndex } from "./append-batch.ts";
import { addSummary, writeView } from "./change-view.ts";
import type { Sql } from "./sql.ts";
import { createThread, findThread, requireThread } from "./thread-row.ts";

/** Begins a thread that shares the entries of another up to one. Only its index is its own. Within a transaction. */
export function forkThread(
  sql: Sql,
  threadId: string,
  { at, as }: { readonly at: string; readonly as: string },
): { readonly threadId: string } {
  const parent = requireThread(sql, threadId);
  const forkId = `${threadId}/${as}`;
  const present = findThread(sql, forkId);
  if (present !== undefined) throw isThere(present.version);
  const fork = runProgram(forkProgram({ at }), (fetch) => answerFetch(sql, parent, fetch));
  const { version, head } = fork;
  const thread = createThread(sql, forkId, { version, head, parent: parent.thread });
  writeIndex(sql, thread, fork);
  for (const summary of fork.overlays) addSummary(sql, thread, summary);
  for (const [view, state] of fork.states) writeView(sql, thread, view, { state, viewRevision: 0 });
  return { threadId: forkId };
}

function isThere(actual: number): HistoryError {
  return new HistoryError("Expected no thread with the fork's name. Choose another for `as`.", {
    code: "VERSION_CONFLICT",
    details: { expected: "none", actual },
  });
}
