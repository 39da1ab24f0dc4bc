import type { HistoryEntry, StoredEntryProblem } from "@agent-history/core";

import { utf8Bytes } from "../utf8-bytes.ts";
import { decodeRows } from "./decode-rows.ts";
import type { LogRow } from "./decode-rows.ts";
import { indexBatch } from "./index-batch.ts";
import type { IndexedBatch, IndexInput } from "./index-batch.ts";
import type { PreparedEntry } from "./prepare-batch.ts";

/** The index of rows that are written already. */
export interface IndexedRows extends IndexedBatch {
  /** Ids of the entries that could be read, by position. */
  readonly ids: ReadonlyMap<number, string>;
  /** Rows that cannot be read. In the index an error stands for each. */
  readonly problems: readonly StoredEntryProblem[];
}

/** Works out the index of a log's next rows, one for each position. */
export function indexRows(
  rows: readonly LogRow[],
  known: Pick<IndexInput, "head" | "facts">,
): IndexedRows {
  const { entries: read, problems } = decodeRows(rows);
  const byPosition = new Map(read.map(({ position, entry }) => [position, entry]));
  const entries = rows.map(({ position, json = "" }): PreparedEntry => {
    const entry = byPosition.get(position) ?? unreadable(position);
    return { entry, json, bytes: utf8Bytes(json) };
  });
  const rowEnds = rows.map(({ position, rowEnd = position }) => rowEnd);
  return {
    ...indexBatch({ ...known, batch: { entries, bytes: 0 }, rowEnds }),
    ids: new Map(read.map(({ position, entry }) => [position, entry.id])),
    problems,
  };
}

function unreadable(position: number): HistoryEntry {
  return { type: "error", id: `unreadable ${position}`, createdAtMs: 0, content: "" };
}
