import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";

import { HistoryError } from "@agent-history/core";

/** A row by column name. */
export type Row = Readonly<Record<string, SQLOutputValue>>;

/** Statements of one connection, each prepared once. */
export interface Sql {
  readonly get: (sql: string, ...values: readonly SQLInputValue[]) => Row | undefined;
  readonly all: (sql: string, ...values: readonly SQLInputValue[]) => readonly Row[];
  /** Rows as they come; stop early where enough are there. */
  readonly each: (sql: string, ...values: readonly SQLInputValue[]) => Iterable<Row>;
  /** Returns how many rows it changed. */
  readonly run: (sql: string, ...values: readonly SQLInputValue[]) => number;
}

/** Prepares statements as they are needed. */
export function sqlOf(database: DatabaseSync): Sql {
  const statements = new Map<string, StatementSync>();
  function prepared(sql: string): StatementSync {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const statement = database.prepare(sql);
    statements.set(sql, statement);
    return statement;
  }
  return {
    get: (sql, ...values) => prepared(sql).get(...values),
    all: (sql, ...values) => prepared(sql).all(...values),
    each: (sql, ...values) => prepared(sql).iterate(...values),
    run: (sql, ...values) => Number(prepared(sql).run(...values).changes),
  };
}

/** Reads a column that holds a text. */
export function textOf(row: Row | undefined, column: string): string {
  const value = row?.[column];
  if (typeof value === "string") return value;
  throw corrupt(column);
}

/** Reads a column that holds a text or nothing. */
export function textOrNone(row: Row | undefined, column: string): string | undefined {
  return row === undefined || row[column] === null ? undefined : textOf(row, column);
}

/** Reads a column that holds a number. */
export function numberOf(row: Row | undefined, column: string): number {
  const value = row?.[column];
  if (typeof value === "number") return value;
  throw corrupt(column);
}

function corrupt(column: string): HistoryError {
  return new HistoryError(
    `Expected the column ${column} to hold what this package writes. Nothing was written; restore a backup, or read what is left.`,
    { code: "THREAD_CORRUPT", details: { column } },
  );
}
