import { keyText, textKey } from "@agent-history/store-kit";

import { textOf } from "./sql.ts";
import type { Row } from "./sql.ts";

/** Which rows a page has. */
export interface KeyPage {
  /** What the texts of their keys begin with. */
  readonly prefix: string;
  readonly cursor: string | undefined;
  readonly limit: number;
}

/** A row and the text of its key. */
export interface NamedRow {
  readonly name: string;
  readonly row: Row;
}

/**
 * Takes a page of rows that come in the order of their keys. It reads no further than the page.
 *
 * @param rowsFrom - The rows with keys of at least `beginning`, and above `cursor` where there is one.
 */
export function pageOfKeys(
  { prefix, cursor, limit }: KeyPage,
  column: string,
  rowsFrom: (beginning: string, cursor: string | null) => Iterable<Row>,
): { readonly rows: readonly NamedRow[]; readonly cursor?: string } {
  // A key goes on differently where the text ends within a pair.
  const beginning = textKey(prefix.replace(/[\uD800-\uDBFF]+$/, ""));
  const rows: NamedRow[] = [];
  let last: string | undefined;
  for (const row of rowsFrom(beginning, cursor?.slice(1) ?? null)) {
    const key = textOf(row, column);
    if (!key.startsWith(beginning)) break;
    const name = keyText(key);
    if (!name.startsWith(prefix)) continue;
    // An empty text is a key, and a cursor is none.
    if (rows.length >= limit) return { rows, ...(last !== undefined && { cursor: `:${last}` }) };
    rows.push({ name, row });
    last = key;
  }
  return { rows };
}
