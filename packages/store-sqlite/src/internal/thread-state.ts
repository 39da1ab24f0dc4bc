import { HistoryError } from "@agent-history/core";
import type { JsonValue } from "@agent-history/core";

import { numberOf, textOf } from "./sql.ts";
import type { Sql } from "./sql.ts";
import { textKey } from "./text-key.ts";
import { createThread, findThread } from "./thread-row.ts";

/** Reads small state beside a thread's log. */
export function readState(
  sql: Sql,
  threadId: string,
  key: string,
): { readonly value: JsonValue; readonly revision: number } | undefined {
  const thread = findThread(sql, threadId);
  if (thread === undefined) return undefined;
  const row = sql.get(
    "SELECT value, revision FROM state WHERE thread = ? AND key = ?",
    thread.thread,
    textKey(key),
  );
  if (row === undefined) return undefined;
  return { value: JSON.parse(textOf(row, "value")), revision: numberOf(row, "revision") };
}

/** Writes state that nobody wrote since. Within a transaction. */
export function writeState(
  sql: Sql,
  threadId: string,
  key: string,
  { json, expectedRevision }: { readonly json: string; readonly expectedRevision: number },
): { readonly revision: number } {
  const actual = readState(sql, threadId, key)?.revision ?? 0;
  if (actual !== expectedRevision) {
    throw new HistoryError(
      `Expected the revision to be ${expectedRevision}, but it is ${actual}. Read again, then write again.`,
      { code: "VERSION_CONFLICT", details: { expected: expectedRevision, actual } },
    );
  }
  const thread = findThread(sql, threadId)?.thread ?? createThread(sql, threadId, { version: 0 });
  sql.run(
    "INSERT INTO state (thread, key, value, revision) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value, revision = excluded.revision",
    thread,
    textKey(key),
    json,
    actual + 1,
  );
  return { revision: actual + 1 };
}
