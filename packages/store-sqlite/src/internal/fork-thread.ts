import { setImmediate } from "node:timers/promises";

import { HistoryError } from "@agent-history/core";
import { forkProgram } from "@agent-history/store-kit";
import type { Fetch, ForkedIndex } from "@agent-history/store-kit";

import { answerFetch } from "./answer-fetch.ts";
import { addSummary, writeView } from "./change-view.ts";
import type { Transactions } from "./connection.ts";
import { removeRows } from "./delete-thread.ts";
import { driveProgram } from "./drive-program.ts";
import { partsOf } from "./index-parts.ts";
import type { Sql } from "./sql.ts";
import { findThread, requireThread } from "./thread-row.ts";
import type { ThreadRow } from "./thread-row.ts";
import { beginFork, finishFork, isThere, writePart } from "./unfinished-forks.ts";
import type { IndexPart, UnfinishedFork } from "./unfinished-forks.ts";

interface Fork {
  readonly at: string;
  readonly as: string;
}

/**
 * Begins a thread that shares the entries of another up to one. Only its index is its own: it is worked out in pages and written in parts; nobody finds the fork before the last.
 * Where another process replaced a part of the parent before the first, it is worked out again.
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
    const { version, head } = fork;
    const parts = [...partsOf(fork)].map((part) => ({ ...part, version, head }));
    const begin = (sql: Sql): UnfinishedFork | undefined => {
      const parent = requireFree(sql, threadId, forkId);
      if (parent.replacements !== replacements) return undefined;
      return beginFork(sql, parent.thread, version);
    };
    const finish = (sql: Sql, begun: UnfinishedFork): void => {
      requireFree(sql, threadId, forkId);
      writeViews(sql, begun.thread, fork);
      finishFork(sql, begun, forkId);
    };
    const isDone = await writeFork(transactions, parts, { begin, finish, signal });
    if (isDone) return { threadId: forkId };
  }
}

function requireFree(sql: Sql, threadId: string, forkId: string): ThreadRow {
  const parent = requireThread(sql, threadId);
  const present = findThread(sql, forkId);
  if (present === undefined) return parent;
  throw isTaken(present.version);
}

interface ForkWrites {
  /** Gives nothing where the parent is another than it was. */
  readonly begin: (sql: Sql) => UnfinishedFork | undefined;
  readonly finish: (sql: Sql, fork: UnfinishedFork) => void;
  readonly signal: AbortSignal | undefined;
}

/** Writes a fork: at once where its index is one part, else a part in each transaction. What was written goes where a part cannot be. */
async function writeFork(
  { write }: Transactions,
  parts: readonly IndexPart[],
  { begin, finish, signal }: ForkWrites,
): Promise<boolean> {
  const [first, ...others] = parts;
  const fork = await write((sql) => {
    const begun = begin(sql);
    if (begun !== undefined && first !== undefined) writePart(sql, begun, first);
    if (begun !== undefined && others.length === 0) finish(sql, begun);
    return begun;
  }, signal);
  if (fork === undefined || others.length === 0) return fork !== undefined;
  try {
    for (const part of others) {
      await setImmediate();
      await write((sql) => writePart(sql, fork, part), signal);
    }
    await write((sql) => finish(sql, fork), signal);
  } catch (error) {
    // Where that fails too, deleting the parent removes it.
    await write((sql) => (isThere(sql, fork) ? fork.thread : undefined))
      .then((thread) => removeRows(write, thread))
      .catch(() => undefined);
    throw error;
  }
  return true;
}

function writeViews(sql: Sql, thread: number, fork: ForkedIndex): void {
  for (const summary of fork.overlays) addSummary(sql, thread, summary);
  for (const [view, state] of fork.states) writeView(sql, thread, view, { state, viewRevision: 0 });
}

function isTaken(actual: number): HistoryError {
  return new HistoryError("Expected no thread with the fork's name. Choose another for `as`.", {
    code: "VERSION_CONFLICT",
    details: { expected: "none", actual },
  });
}
