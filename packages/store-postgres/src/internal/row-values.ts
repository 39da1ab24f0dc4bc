import type { PostgresRow } from "../postgres-client.ts";
import { threadCorrupt } from "./thread-errors.ts";

/** Reads a column that holds a whole number, as whichever type the client gives it. */
export function numberOf(row: PostgresRow | undefined, column: string): number {
  const value = row?.[column];
  const number = typeof value === "string" || typeof value === "bigint" ? Number(value) : value;
  if (typeof number === "number" && Number.isSafeInteger(number)) return number;
  throw threadCorrupt(column);
}

/** Reads a column that holds a text or nothing. */
export function textOf(row: PostgresRow | undefined, column: string): string | undefined {
  const value = row?.[column];
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return undefined;
  throw threadCorrupt(column);
}
