import { HistoryError } from "@agent-history/core";
import { forkProgram } from "@agent-history/store-kit";
import type { Fetch, ForkedIndex } from "@agent-history/store-kit";

import { answerFetch } from "./answer-fetch.ts";
import { writeIndex } from "./append-batch.ts";
import { addSummary, writeView } from "./change-view.ts";
import type { Transactions } from "./connection.ts";
import { driveProgram } from "./drive-program.ts";
import type { Sql } from "./sql.ts";
import { createThread, findThread, requireThread } from "./thread-row.ts";
import type { ThreadRow } from "./thread-row.ts";

interface Fork {
  readonly at: string;
  readonly as: string;
}

/**
 * Begins a thread that shares the entries of another up to one. Only its index is its own: it is worked out in pages, and written in one transaction. Where another
 * process replaced a part of the parent meanwhile, it is worked out again.
 */
export async function forkThread(
  transactions: Transactions,
  threadId: string,
  { at, as }: Fork,
  signal: AbortSignal | undefined,
): Promise<{ readonly threadId: string }> {
  const forkId = `${threadId}/${as}`;
  for (;;) {
    let replacements: number | undefined;
    const open = (sql: Sql) => {
      const thread = requireFree(sql, threadId, forkId);
      ({ replacements } = thread);
      return { thread, answer: (fetch: Fetch) => answerFetch(sql, thread, fetch) };
    };
    const fork = await driveProgram(transactions, {
      begin: () => forkProgram({ at }),
      open,
      signal,
    });
    const isDone = await transactions.write((sql) => {
      const parent = requireFree(sql, threadId, forkId);
      if (parent.replacements !== replacements) return false;
      writeFork(sql, forkId, parent, fork);
      return true;
    }, signal);
    if (isDone) return { threadId: forkId };
  }
}

function requireFree(sql: Sql, threadId: string, forkId: string): ThreadRow {
  const parent = requireThread(sql, threadId);
  const present = findThread(sql, forkId);
  if (present === undefined) return parent;
  throw isThere(present.version);
}

function writeFork(sql: Sql, forkId: string, parent: ThreadRow, fork: ForkedIndex): void {
  const { version, head } = fork;
  const thread = createThread(sql, forkId, { version, head, parent: parent.thread });
  writeIndex(sql, thread, fork);
  for (const summary of fork.overlays) addSummary(sql, thread, summary);
  for (const [view, state] of fork.states) writeView(sql, thread, view, { state, viewRevision: 0 });
}

function isThere(actual: number): HistoryError {
  return new HistoryError("Expected no thread with the fork's name. Choose another for `as`.", {
    code: "VERSION_CONFLICT",
    details: { expected: "none", actual },
  });
}
