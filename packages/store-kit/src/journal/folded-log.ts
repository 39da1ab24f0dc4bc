import type { StoredEntryProblem } from "@agent-history/core";

import { versionOf } from "../index-batch.ts";
import { isCutRecord, readRecord } from "./journal-record.ts";
import type { JournalChange } from "./journal-record.ts";
import { applyChange, newTables } from "./thread-tables.ts";
import type { ThreadTables } from "./thread-tables.ts";

/** What was read of a log. */
export interface FoldedLog {
  readonly tables: ThreadTables;
  /** How many records were read, those that do not count included. */
  count: number;
  /** The last of them: a different one there means that the log was rewritten. */
  last: string | undefined;
  /** How many since the last that counts could not be read: each may have had a batch of entries. */
  lost: number;
  readonly problems: StoredEntryProblem[];
  readonly cut: StoredEntryProblem[];
}

/** The most entries of one batch: what a lost record may have had. */
const MOST_LOST = 500;

/** Begins without having read anything. */
export function newFold(): FoldedLog {
  return { tables: newTables(), count: 0, last: undefined, lost: 0, problems: [], cut: [] };
}

/** Takes the next record of a log; returns whether it counts. */
export function takeRecord(fold: FoldedLog, text: string): boolean {
  const { tables, count } = fold;
  fold.count += 1;
  fold.last = text;
  const record = readRecord(text);
  // Its writer had not read all that stands before it: it decides again. What is deleted stays deleted.
  if (record !== undefined && (record.after !== count || tables.isDeleted)) return false;
  const version = versionOf(tables.head);
  if (record === undefined || !isPlausible(record.change, version, fold.lost)) {
    fold.lost += 1;
    const reason = "A record of the log cannot be read.";
    const problems = isCutRecord(text) ? fold.cut : fold.problems;
    problems.push({ position: version, kind: "broken", reason });
    return false;
  }
  applyChange(tables, record);
  fold.lost = 0;
  return true;
}

/** Entries stand directly behind those before them, but for those of records that are lost. */
function isPlausible(change: JournalChange, version: number, lost: number): boolean {
  if (change.kind !== "append") return true;
  const missing = change.position - version;
  return missing >= 0 && missing <= lost * MOST_LOST;
}
