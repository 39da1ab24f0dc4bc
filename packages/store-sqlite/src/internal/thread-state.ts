import { HistoryError } from "@agent-history/core";
import type { JsonValue } from "@agent-history/core";
import { decodeState, textKey } from "@agent-history/store-kit";

import { numberOf, textOf } from "./sql.ts";
import type { Row, Sql } from "./sql.ts";
import { createThread, findThread } from "./thread-row.ts";
import type { ThreadRow } from "./thread-row.ts";

/** Reads small state beside a thread's log. */
export function readState(
  sql: Sql,
  threadId: string,
  key: string,
): { readonly value: JsonValue; readonly revision: number } | undefined {
  const row = rowOfState(sql, findThread(sql, threadId), key);
  if (row === undefined) return undefined;
  return { value: decodeState(textOf(row, "value")), revision: numberOf(row, "revision") };
}

function rowOfState(sql: Sql, thread: ThreadRow | undefined, key: string): Row | undefined {
  if (thread === undefined) return undefined;
  return sql.get(
    "SELECT value, revision FROM state WHERE thread = ? AND key = ?",
    thread.thread,
    textKey(key),
  );
}

/** Writes state that nobody wrote since. Within a transaction. */
export function writeState(
  sql: Sql,
  threadId: string,
  key: string,
  { json, expectedRevision }: { readonly json: string; readonly expectedRevision: number },
): { readonly revision: number } {
  const found = findThread(sql, threadId);
  const row = rowOfState(sql, found, key);
  const actual = row === undefined ? 0 : numberOf(row, "revision");
  if (actual !== expectedRevision) {
    throw new HistoryError(
      `Expected the revision to be ${expectedRevision}, but it is ${actual}. Read again, then write again.`,
      { code: "VERSION_CONFLICT", details: { expected: expectedRevision, actual } },
    );
  }
  const thread = found?.thread ?? createThread(sql, threadId, { version: 0 });
  sql.run(
    "INSERT INTO state (thread, key, value, revision) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value, revision = excluded.revision",
    thread,
    textKey(key),
    json,
    actual + 1,
  );
  return { revision: actual + 1 };
}
