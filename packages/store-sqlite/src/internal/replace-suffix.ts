import type { ExpectedVersion } from "@agent-history/core";
import { MAX_OPERATIONS, replaceProgram, runProgram, textKey } from "@agent-history/store-kit";
import type { PreparedReplacement, SuffixChange } from "@agent-history/store-kit";

import { answerFetch } from "./answer-fetch.ts";
import { writeEntries, writeIndex } from "./append-batch.ts";
import { giveToForks } from "./give-to-forks.ts";
import type { Sql } from "./sql.ts";
import type { ThreadRow } from "./thread-row.ts";

/** Replaces the end of a thread's log. What forks share of it becomes their own. Within a transaction. */
export function replaceSuffix(
  sql: Sql,
  thread: ThreadRow,
  options: PreparedReplacement & { readonly expectedVersion: ExpectedVersion },
): { readonly version: number } {
  const { batch } = options;
  const change = runProgram(replaceProgram(options), (fetch) => answerFetch(sql, thread, fetch));
  const { version } = change;
  if (change.kind === "known") return { version };
  const { position, entryCount, head } = change;
  giveToForks(sql, thread, position);
  sql.run("DELETE FROM entries WHERE thread = ? AND position >= ?", thread.thread, position);
  sql.run("UPDATE threads SET shared = min(shared, ?) WHERE thread = ?", position, thread.thread);
  cutIndex(sql, thread.thread, change);
  changeViews(sql, thread.thread, change);
  keepReplaced(sql, thread.thread, change);
  writeEntries(sql, thread.thread, position, batch);
  const facts = new Map<string, string>();
  for (const [key, fact] of change.facts) if (fact !== undefined) facts.set(key, fact);
  writeIndex(sql, thread.thread, {
    version: entryCount,
    head,
    facts,
    references: change.references,
    updatedAtMs: Date.now(),
  });
  return { version };
}

/** Takes away what the index says of the entries that go. */
function cutIndex(sql: Sql, thread: number, { position, streams, facts }: SuffixChange): void {
  for (const stream of streams.map(textKey)) {
    sql.run(
      "DELETE FROM refs WHERE thread = ? AND stream = ? AND key > ?",
      thread,
      stream,
      position,
    );
    sql.run(
      "UPDATE streams SET last = coalesce((SELECT max(key) FROM refs WHERE refs.thread = streams.thread AND refs.stream = streams.stream), 0) WHERE thread = ? AND stream = ?",
      thread,
      stream,
    );
  }
  for (const [key, fact] of facts) {
    if (fact !== undefined) continue;
    sql.run("DELETE FROM facts WHERE thread = ? AND key = ?", thread, textKey(key));
  }
}

function changeViews(sql: Sql, thread: number, { removed, states }: SuffixChange): void {
  for (const { id } of removed) {
    sql.run("DELETE FROM summaries WHERE thread = ? AND id = ?", thread, textKey(id));
  }
  sql.run("UPDATE views SET view_revision = view_revision + 1 WHERE thread = ?", thread);
  for (const [view, state] of states) {
    sql.run(
      "UPDATE views SET state = ? WHERE thread = ? AND view = ?",
      state,
      thread,
      textKey(view),
    );
  }
}

function keepReplaced(sql: Sql, thread: number, { nth, replaced, operation }: SuffixChange): void {
  for (const { id, json } of replaced) {
    sql.run(
      "INSERT INTO replaced (thread, id, nth, json) VALUES (?, ?, ?, ?)",
      thread,
      textKey(id),
      nth,
      json,
    );
  }
  const { id, hash, version } = operation;
  sql.run(
    "INSERT INTO operations (thread, nth, id, hash, version) VALUES (?, ?, ?, ?, ?)",
    thread,
    nth,
    textKey(id),
    hash,
    version,
  );
  sql.run("DELETE FROM operations WHERE thread = ? AND nth <= ?", thread, nth - MAX_OPERATIONS);
}
