import { HistoryError } from "@agent-history/core";
import type { JsonValue, StateItem } from "@agent-history/core";
import { decodeState, textKey } from "@agent-history/store-kit";

import { pageOfKeys } from "./page-of-keys.ts";
import type { KeyPage } from "./page-of-keys.ts";
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

/** Lists the state of a thread in the order of its keys. */
export function listState(
  sql: Sql,
  threadId: string,
  page: KeyPage,
): { readonly items: readonly StateItem[]; readonly cursor?: string } {
  const thread = findThread(sql, threadId);
  if (thread === undefined) return { items: [] };
  const { rows, ...end } = pageOfKeys(page, "key", (beginning, cursor) =>
    sql.each(
      "SELECT key, value, revision FROM state WHERE thread = ? AND (? IS NULL OR key > ?) AND key >= ? ORDER BY key",
      thread.thread,
      cursor,
      cursor,
      beginning,
    ),
  );
  const items = rows.map(({ name: key, row }) => ({
    key,
    value: decodeState(textOf(row, "value")),
    revision: numberOf(row, "revision"),
  }));
  return { items, ...end };
}

/** Writes or removes (without `json`) state that nobody wrote since. Within a transaction. */
export function writeState(
  sql: Sql,
  threadId: string,
  key: string,
  {
    json,
    expectedRevision,
  }: { readonly json: string | undefined; readonly expectedRevision: number },
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
  if (json === undefined) {
    if (found !== undefined) removeState(sql, found, { key, revision: actual });
    return { revision: 0 };
  }
  const thread = found?.thread ?? createThread(sql, threadId, { version: 0 });
  const revision = (actual === 0 ? (found?.removedRevision ?? 0) : actual) + 1;
  sql.run(
    "INSERT INTO state (thread, key, value, revision) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value, revision = excluded.revision",
    thread,
    textKey(key),
    json,
    revision,
  );
  return { revision };
}

function removeState(
  sql: Sql,
  { thread, removedRevision }: ThreadRow,
  { key, revision }: { readonly key: string; readonly revision: number },
): void {
  sql.run("DELETE FROM state WHERE thread = ? AND key = ?", thread, textKey(key));
  sql.run(
    "UPDATE threads SET removed_revision = ? WHERE thread = ?",
    Math.max(removedRevision, revision),
    thread,
  );
}
