import { readFile } from "node:fs/promises";

import { HistoryError } from "@agent-history/core";
import { LIST_PRICES } from "@agent-history/transcripts";
import type { PriceTable } from "@agent-history/transcripts";

/** The options of every command that reads sessions, as they are typed. */
export interface SessionOptions {
  readonly json?: true;
  readonly redact?: true;
  readonly dir?: string;
  readonly prices?: string;
  readonly limit: string;
}

/** Reads `--limit`. */
export function rowLimit({ limit }: SessionOptions): number {
  const rows = Number(limit);
  if (Number.isInteger(rows) && rows >= 0) return rows;
  throw new HistoryError(`Expected --limit to be a whole number, got ${limit}.`, {
    code: "INVALID_OPTION",
    details: { option: "limit" },
  });
}

/** Reads the prices of `--prices`, or the built-in ones. */
export async function pricesOf({ prices }: SessionOptions): Promise<PriceTable> {
  if (prices === undefined) return LIST_PRICES;
  const table: unknown = JSON.parse(await readFile(prices, "utf8"));
  if (isPriceTable(table)) return table;
  throw new HistoryError(
    `Expected ${prices} to hold { asOf, models: { name: { input, output, cacheRead, cacheWrite, cacheWrite1h } } }, in dollars for a million tokens.`,
    { code: "INVALID_OPTION", details: { option: "prices" } },
  );
}

const KINDS = ["input", "output", "cacheRead", "cacheWrite", "cacheWrite1h"];

function isPriceTable(table: unknown): table is PriceTable {
  if (!isRecord(table) || typeof table["asOf"] !== "string" || !isRecord(table["models"]))
    return false;
  return Object.values(table["models"]).every(
    (price) => isRecord(price) && KINDS.every((kind) => typeof price[kind] === "number"),
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
