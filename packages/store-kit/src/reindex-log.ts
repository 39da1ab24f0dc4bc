import type { HistoryEntry, StoredEntryProblem } from "@agent-history/core";

import { decodeRows } from "./decode-rows.ts";
import { indexBatch } from "./index-batch.ts";
import type { PreparedEntry } from "./prepare-batch.ts";
import { readLogPage } from "./read-log.ts";
import type { ReferenceRow, StoreProgram } from "./store-program.ts";
import { utf8Bytes } from "./utf8-bytes.ts";

/** The index of a log, worked out from its entries. */
export interface DerivedIndex {
  /** `undefined` for no entries. */
  readonly head: string | undefined;
  readonly facts: ReadonlyMap<string, string>;
  readonly references: ReadonlyMap<string, readonly ReferenceRow[]>;
  /** Ids of the entries that could be read, by position. */
  readonly ids: ReadonlyMap<number, string>;
  /** Rows that cannot be read. In the index an error stands for each. */
  readonly problems: readonly StoredEntryProblem[];
}

/** Works out the index of the first `version` entries of a log once more. Linear, in pages. */
export function* reindexLog(version: number): StoreProgram<DerivedIndex> {
  let head: string | undefined;
  const facts = new Map<string, string>();
  const references = new Map<string, ReferenceRow[]>();
  const ids = new Map<number, string>();
  const problems: StoredEntryProblem[] = [];
  for (let from = 0; from < version; from += PAGE) {
    const rows = yield* readLogPage(from, Math.min(version, from + PAGE));
    const decoded = decodeRows(rows);
    for (const problem of decoded.problems) problems.push(problem);
    const known = new Map(decoded.entries.map(({ position, entry }) => [position, entry]));
    const entries = rows.map(({ position, json = "" }): PreparedEntry => {
      const entry = known.get(position);
      if (entry !== undefined) ids.set(position, entry.id);
      const bytes = utf8Bytes(json);
      return { entry: entry ?? unreadable(position), json, bytes };
    });
    const rowEnds = rows.map(({ position, rowEnd = position }) => rowEnd);
    const indexed = indexBatch({ head, facts, batch: { entries, bytes: 0 }, rowEnds });
    head = indexed.head;
    for (const [key, fact] of indexed.facts) facts.set(key, fact);
    for (const [stream, added] of indexed.references) {
      references.set(stream, [...(references.get(stream) ?? []), ...added]);
    }
  }
  return { head, facts, references, ids, problems };
}

const PAGE = 500;

function unreadable(position: number): HistoryEntry {
  return { type: "error", id: `unreadable ${position}`, createdAtMs: 0, content: "" };
}
