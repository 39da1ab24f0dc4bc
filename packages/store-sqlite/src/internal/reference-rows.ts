import type { ReferencesAnswer, ReferencesFetch, ReferenceRow } from "@agent-history/store-kit";
import { textKey } from "@agent-history/store-kit";

import { numberOf, textOf } from "./sql.ts";
import type { Row, Sql } from "./sql.ts";

/** Adds rows to the end of a stream. Each names the one before it, and the stream its last, so that a row that is gone is noticed. */
export function addReferences(
  sql: Sql,
  thread: number,
  stream: string,
  rows: readonly ReferenceRow[],
): void {
  const name = textKey(stream);
  let previous = lastOf(sql, thread, name);
  for (const { key, references } of rows) {
    sql.run(
      "INSERT INTO refs (thread, stream, key, previous, refs) VALUES (?, ?, ?, ?, ?)",
      thread,
      name,
      key,
      previous,
      references,
    );
    previous = key;
  }
  sql.run(
    "INSERT INTO streams (thread, stream, last) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET last = excluded.last",
    thread,
    name,
    previous,
  );
}

/** Reads a page of a stream, and tells whether rows of it are missing. */
export function readReferences(
  sql: Sql,
  thread: number,
  { stream, after = 0, before, limit }: ReferencesFetch,
): ReferencesAnswer {
  const name = textKey(stream);
  const rows = sql.all(
    "SELECT key, previous, refs FROM refs WHERE thread = ? AND stream = ? AND key > ? AND key < ? ORDER BY key DESC LIMIT ?",
    thread,
    name,
    after,
    before ?? Number.MAX_SAFE_INTEGER,
    Math.min(limit, Number.MAX_SAFE_INTEGER),
  );
  const newest =
    before === undefined ? lastOf(sql, thread, name) : previousOf(sql, thread, name, before);
  return {
    kind: "references",
    rows: rows.map((row) => ({ key: numberOf(row, "key"), references: textOf(row, "refs") })),
    isMissing: isBroken(rows, newest, rows.length < limit ? after : undefined),
  };
}

/** Whether rows, the newest first, do not follow on each other from the newest down to a key where nothing stands before. */
function isBroken(
  rows: readonly Row[],
  newest: number | undefined,
  end: number | undefined,
): boolean {
  let expected = newest;
  for (const row of rows) {
    if (expected !== undefined && numberOf(row, "key") !== expected) return true;
    expected = numberOf(row, "previous");
  }
  return end !== undefined && expected !== undefined && expected > end;
}

function lastOf(sql: Sql, thread: number, name: string): number {
  const row = sql.get("SELECT last FROM streams WHERE thread = ? AND stream = ?", thread, name);
  return row === undefined ? 0 : numberOf(row, "last");
}

/** The key before a row; undefined for a bound that is not a row. */
function previousOf(sql: Sql, thread: number, name: string, key: number): number | undefined {
  const row = sql.get(
    "SELECT previous FROM refs WHERE thread = ? AND stream = ? AND key = ?",
    thread,
    name,
    key,
  );
  return row === undefined ? undefined : numberOf(row, "previous");
}
