import type { StoredEntryProblem } from "@agent-history/core";
import { repairProgram, textKey } from "@agent-history/store-kit";
import type { Fetch, IndexRepair } from "@agent-history/store-kit";

import { answerFetch } from "./answer-fetch.ts";
import { writeIndex } from "./append-batch.ts";
import { writeView } from "./change-view.ts";
import type { Transactions } from "./connection.ts";
import { driveProgram } from "./drive-program.ts";
import { numberOf } from "./sql.ts";
import type { Sql } from "./sql.ts";
import { findThread } from "./thread-row.ts";
import type { ThreadRow } from "./thread-row.ts";
import { countRetry } from "./trace-verb.ts";

type Repair = NonNullable<IndexRepair["repair"]>;

/**
 * Works the index of a thread out from its log, in pages, and writes what differs in one transaction, where the thread is still what it was; else once more.
 * Gives what is wrong afterwards.
 */
export async function reindexThread(
  transactions: Transactions,
  threadId: string,
  signal: AbortSignal | undefined,
): Promise<readonly StoredEntryProblem[]> {
  const open = (sql: Sql) => {
    const thread = findThread(sql, threadId);
    return { thread, answer: (fetch: Fetch) => answerFetch(sql, thread, fetch) };
  };
  const derive = (): Promise<IndexRepair> =>
    driveProgram(transactions, { begin: repairProgram, open, signal });
  for (;;) {
    const { problems, repair } = await derive();
    if (problems.length === 0 || repair === undefined) return problems;
    const isWritten = await transactions.write((sql) => {
      const thread = findThread(sql, threadId);
      if (thread?.head !== repair.base) return false;
      if (thread !== undefined) writeRepair(sql, thread, repair);
      return true;
    }, signal);
    if (isWritten) return (await derive()).problems;
    countRetry();
  }
}

function writeRepair(
  sql: Sql,
  { thread, entryCount, replacements }: ThreadRow,
  { head, index, differences, states }: Repair,
): void {
  const facts = new Map<string, string>();
  for (const key of differences.facts) facts.set(key, index.facts.get(key) ?? "");
  const references = new Map(
    differences.streams.map((stream) => [stream, index.references.get(stream) ?? []]),
  );
  for (const stream of references.keys()) {
    sql.run("DELETE FROM refs WHERE thread = ? AND stream = ?", thread, textKey(stream));
    sql.run("DELETE FROM streams WHERE thread = ? AND stream = ?", thread, textKey(stream));
  }
  writeIndex(sql, thread, { version: entryCount, head, facts, references });
  for (const view of differences.views) {
    const name = textKey(view);
    const row = sql.get(
      "SELECT max(count(*) + ?, coalesce((SELECT v.view_revision FROM views v WHERE v.thread = ? AND v.view = ?), 0)) AS n FROM summaries WHERE thread = ? AND view = ?",
      replacements,
      thread,
      name,
      thread,
      name,
    );
    writeView(sql, thread, view, {
      state: states.get(view) ?? "",
      viewRevision: numberOf(row, "n"),
    });
  }
}
