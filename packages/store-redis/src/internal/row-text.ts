import { crc32 } from "node:zlib";

import type { EntryRow } from "@agent-history/store-kit/indexed";

import { restoreHead, shortenHead } from "./short-head.ts";

/** A stored entry, with its counts. */
type EntryText = Pick<EntryRow, "json" | "tokens">;

/** What divides the entries of a row, and an entry from its counts: JSON as it is written has neither. */
const NEXT_ENTRY = "\n";
const COUNTS = "\t";

/** Rows hold at most so much. */
export const ROW_LIMITS: { readonly entries: number; readonly bytes: number } = {
  entries: 32,
  bytes: 64 * 1024,
};

/**
 * Writes an entry as a line: a checksum of the text and of its position, the text with a short head, its counts. The parts are joined last:
 * a checksum of a joined text would copy it first.
 *
 * @param field - The entry's id as `encodeField` gives it, where it is known.
 */
export function lineOf({ json, tokens }: EntryText, position: number, field?: string): string {
  const { head, rest } = shortenHead(json, field);
  const counts = tokens === undefined ? "" : COUNTS + tokens;
  const checksum = crc32(counts, crc32(rest, crc32(head, position)));
  return `${checksum.toString(36)} ${head}${rest}${counts}`;
}

/** Joins the lines of neighboring entries to a row. */
export function rowOf(lines: readonly string[]): string {
  return lines.join(NEXT_ENTRY);
}

/** Reads the lines of a row; `last` is the position of its last entry. */
export function entriesOfRow(row: string, last: number): readonly EntryRow[] {
  const lines = row.split(NEXT_ENTRY);
  const first = last + 1 - lines.length;
  return lines.map((line, index) => ({ ...entryOfLine(line, first + index), rowEnd: last }));
}

/** Reads a line. One whose checksum is another is no entry: what stands there instead is no JSON. */
export function entryOfLine(line: string, position: number): EntryRow {
  const space = line.indexOf(" ");
  const text = line.slice(space + 1);
  if (line.slice(0, space) !== checksumOf(text, position)) return { position, json: "" };
  const [short = "", tokens] = text.split(COUNTS);
  return { position, json: restoreHead(short), ...(tokens === undefined ? {} : { tokens }) };
}

/** A row of a log: the lines of neighboring entries. */
export interface PackedRow {
  /** The position of its last entry. */
  readonly last: number;
  readonly lines: readonly string[];
}

/** Puts the lines of neighboring entries into rows, from the position of the first. */
export function packRows(lines: readonly string[], first: number): readonly PackedRow[] {
  const rows: PackedRow[] = [];
  let start = 0;
  let length = 0;
  for (const [index, line] of lines.entries()) {
    const isFull = index - start === ROW_LIMITS.entries || length + line.length > ROW_LIMITS.bytes;
    if (isFull && index > start) {
      rows.push({ last: first + index - 1, lines: lines.slice(start, index) });
      start = index;
      length = 0;
    }
    length += line.length;
  }
  if (start < lines.length)
    rows.push({ last: first + lines.length - 1, lines: lines.slice(start) });
  return rows;
}

/** For each entry of rows, the position of the last one of its row. */
export function rowEndsOf(rows: readonly PackedRow[]): readonly number[] {
  return rows.flatMap(({ last, lines }) => lines.map(() => last));
}

function checksumOf(text: string, position: number): string {
  return crc32(text, position).toString(36);
}
