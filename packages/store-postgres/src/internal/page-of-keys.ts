import { keyText } from "@agent-history/store-kit/indexed";

import type { PostgresRow } from "../postgres-client.ts";
import { escaped } from "./row-key.ts";
import { textOf } from "./row-values.ts";

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
  readonly row: PostgresRow;
}

/** Which rows are read: of keys above `after`, where there is one, and of at least `beginning`, in their order. */
export interface KeyRange {
  readonly after: string | null;
  readonly beginning: string;
  readonly count: number;
}

/** The most rows of one statement. */
const MOST_ROWS = 1000;
/** A shortened key has at least this much of its text. */
const SHORTEST = 299;

/**
 * Takes a page of rows in the order of their keys. It reads no further than the page.
 *
 * @param rowsOf - Rows with the key as `key` and, where that shortens a text, the whole one as `full_key`.
 */
export async function pageOfKeys(
  { prefix, cursor, limit }: KeyPage,
  rowsOf: (range: KeyRange) => Promise<readonly PostgresRow[]>,
): Promise<{ readonly rows: readonly NamedRow[]; readonly cursor?: string }> {
  // A key goes on differently where the text ends within a pair, or is shortened.
  const beginning = escaped(prefix.replace(/[\uD800-\uDBFF]+$/, "")).slice(0, SHORTEST);
  const rows: NamedRow[] = [];
  // An empty text is a key, and a cursor is none.
  let after = cursor?.slice(1) ?? null;
  let last: string | undefined;
  if (limit === 0) return { rows };
  for (;;) {
    const count = Math.min(limit - rows.length + 1, MOST_ROWS);
    const found = await rowsOf({ after, beginning, count });
    for (const row of found) {
      const key = textOf(row, "key") ?? "";
      after = key;
      if (!key.startsWith(beginning)) return { rows };
      const name = keyText(textOf(row, "full_key") ?? key);
      if (!name.startsWith(prefix)) continue;
      if (rows.length >= limit) return { rows, ...(last !== undefined && { cursor: `:${last}` }) };
      rows.push({ name, row });
      last = key;
    }
    if (found.length < count) return { rows };
  }
}
