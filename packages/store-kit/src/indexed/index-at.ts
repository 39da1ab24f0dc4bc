import { HistoryError } from "@agent-history/core";

import { checkpointBefore, checkpointKey, positionOfCheckpoint } from "./checkpoints.ts";
import { decodeRows } from "./decode-rows.ts";
import type { LogRow, ReadEntry } from "./decode-rows.ts";
import { answered, fetchRound } from "./fetch-round.ts";
import { factKeys } from "./index-batch.ts";
import { indexRows } from "./index-rows.ts";
import { factKey } from "./known-facts.ts";
import type { MissingTask, TaskFact, TurnFact } from "./known-facts.ts";
import { pagesOf } from "./pages-of.ts";
import { readLogPage } from "./read-log.ts";
import type { StoreProgram } from "./store-program.ts";

/** The index of the first entries of a log, as far as those behind them may have changed it. */
export interface IndexAt {
  /** `undefined` for no entries. */
  readonly head: string | undefined;
  /** Facts that entries behind the position may have written: as they were before, `undefined` where there was none. */
  readonly facts: ReadonlyMap<string, string | undefined>;
  /** The streams that those entries stand in. */
  readonly streams: readonly string[];
  /** The id of the last entry before the position. */
  readonly lastId: string | undefined;
  /** Those from the position on, with their texts. */
  readonly suffix: readonly SuffixRow[];
}

/** An entry of the log, and its text. */
export type SuffixRow = Pick<ReadEntry, "position" | "entry"> & { readonly json: string };

/**
 * Works out what the index was before the entry at a position, from the checkpoint before it. Reads the entries behind that checkpoint, and facts in proportion to them.
 *
 * @throws `HistoryError` with code `THREAD_CORRUPT` where one of these rows cannot be read.
 */
export function* indexAt(position: number, version: number): StoreProgram<IndexAt> {
  const { nth, head } = yield* readCheckpoint(checkpointBefore(position));
  const start = positionOfCheckpoint(nth);
  // One more, so that the id before the position is known.
  const rows = yield* readRows(Math.max(0, Math.min(start, position - 1)), version);
  const entries = readable(rows);
  const suffix = entries.filter((one) => one.position >= position);
  const touched = keysOf(suffix);
  const window = rows.filter((row) => row.position >= start && row.position < position);
  const known = yield* factsAtCheckpoint(nth, checkpointBefore(version - 1), [
    ...new Set([...keysOf(entries.filter((one) => one.position >= start)), ...touched]),
  ]);
  const indexed = indexRows(window, { head, facts: known });
  const facts = new Map([...known, ...indexed.facts]);
  const behind = rows.filter((row) => row.position >= position);
  const { references } = indexRows(behind, { head: indexed.head, facts });
  const later = laterKeys(position, version, touched);
  return {
    head: version === 0 || position === 0 ? undefined : indexed.head,
    facts: new Map([
      ...later.map((key) => [key, indexed.facts.get(key)] as const),
      ...touched.map((key) => [key, facts.get(key)] as const),
    ]),
    streams: [...references.keys()],
    lastId: entries.find((one) => one.position === position - 1)?.entry.id,
    suffix,
  };
}

/** What entries behind a position have written for checkpoints. */
function laterKeys(position: number, version: number, touched: readonly string[]): string[] {
  const keys: string[] = [];
  for (let nth = checkpointBefore(position); nth <= checkpointBefore(version - 1); nth += 1) {
    if (nth === 0) continue;
    if (positionOfCheckpoint(nth) >= position) keys.push(checkpointKey.head(nth));
    for (const key of touched) if (isOfAgent(key)) keys.push(checkpointKey.fact(nth, key));
  }
  return keys;
}

const PAGE = 500;

function* readRows(from: number, to: number): StoreProgram<readonly LogRow[]> {
  const all: LogRow[] = [];
  for (let start = from; start < to; start += PAGE) {
    for (const row of yield* readLogPage(start, Math.min(to, start + PAGE))) all.push(row);
  }
  return all;
}

function readable(rows: readonly LogRow[]): readonly SuffixRow[] {
  const { entries, problems } = decodeRows(rows);
  if (problems.length > 0) throw unreadable();
  return entries.map(({ position, entry }, index) => ({
    position,
    entry,
    json: rows[index]?.json ?? "",
  }));
}

/** The facts that the index needs of entries, and those that it writes. */
function keysOf(rows: readonly SuffixRow[]): readonly string[] {
  const prepared = rows.map(({ entry, json }) => ({ entry, json, bytes: 0 }));
  const keys = new Set(factKeys({ entries: prepared, bytes: 0 }));
  for (const { entry } of rows) {
    if (entry.type === "user_message") keys.add(factKey.message(entry.id));
  }
  return [...keys];
}

/** Finds the head at a checkpoint; where it is not there, the log is read from the beginning. */
function* readCheckpoint(
  nth: number,
): StoreProgram<{ readonly nth: number; readonly head: string | undefined }> {
  const key = checkpointKey.head(nth);
  const head = nth === 0 ? undefined : (yield* readFacts([key])).get(key);
  return { nth: head === undefined ? 0 : nth, head };
}

/** The facts before the entry at a checkpoint. */
function* factsAtCheckpoint(
  nth: number,
  last: number,
  keys: readonly string[],
): StoreProgram<ReadonlyMap<string, string>> {
  if (nth === 0) return new Map();
  const later = keys.filter(isOfAgent).flatMap((key) => earlierKeys(nth, last, key));
  const found = yield* readFacts([...keys, ...later]);
  const facts = new Map<string, string>();
  for (const key of keys) {
    const before = isOfAgent(key)
      ? agentFactAt(earlierKeys(nth, last, key), key, found)
      : factBefore(positionOfCheckpoint(nth), found.get(key));
    if (before !== undefined) facts.set(key, before);
  }
  return facts;
}

function earlierKeys(nth: number, last: number, key: string): readonly string[] {
  return Array.from({ length: last - nth + 1 }, (_, index) => checkpointKey.fact(nth + index, key));
}

/** The first that was kept since the checkpoint is the one that an agent had there; where none was, it has not changed. */
function agentFactAt(
  earlier: readonly string[],
  key: string,
  found: ReadonlyMap<string, string>,
): string | undefined {
  const kept = earlier.find((one) => found.has(one));
  const fact = found.get(kept ?? key);
  return fact === "null" ? undefined : fact;
}

/** Facts of tasks, turns and messages say themselves which entries they come from. */
function factBefore(start: number, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const fact: TaskFact | MissingTask | TurnFact | number = JSON.parse(text);
  if (typeof fact === "number") return fact < start ? text : undefined;
  if (fact.at !== undefined && fact.at < start) return text;
  const missedAt = "missedAt" in fact ? fact.missedAt : undefined;
  return missedAt !== undefined && missedAt < start ? JSON.stringify({ missedAt }) : undefined;
}

function* readFacts(keys: readonly string[]): StoreProgram<ReadonlyMap<string, string>> {
  const all = new Map<string, string>();
  for (const page of pagesOf(keys)) {
    const [answer] = yield* fetchRound([{ kind: "facts", keys: page }]);
    for (const [key, fact] of answered("facts", answer).facts) all.set(key, fact);
  }
  return all;
}

function isOfAgent(key: string): boolean {
  return key === factKey.agent(undefined) || key.startsWith(factKey.agent(""));
}

function unreadable(): HistoryError {
  return new HistoryError(
    "Expected every row near the end of the log to be readable. Nothing was written; `verify` says which is not.",
    { code: "THREAD_CORRUPT", details: { reason: "row" } },
  );
}
