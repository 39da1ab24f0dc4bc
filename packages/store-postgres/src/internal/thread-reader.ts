import type { HistoryView } from "@agent-history/core";
import { countsOf } from "@agent-history/store-kit/indexed";
import type {
  Answer,
  EntryRow,
  Fetch,
  ReplacedEntry,
  StoredSummary,
} from "@agent-history/store-kit/indexed";

import type { PostgresRow } from "../postgres-client.ts";
import { checksumOf } from "./checksum.ts";
import type { Connection } from "./connection.ts";
import type { Guess } from "./guess-arguments.ts";
import { keyedNames } from "./keyed-names.ts";
import { rowKey } from "./row-key.ts";
import { numberOf, textOf } from "./row-values.ts";
import { busy, threadCorrupt, threadDeleted, threadMissing } from "./thread-errors.ts";
import { countRetry } from "./trace-verb.ts";

/** Reads one thread for the programs of the store kit. */
export interface ThreadReader {
  /** Answers a round: in one statement, or in none where an earlier one brought what it asks for. */
  readonly answer: (round: readonly Fetch[]) => Promise<readonly Answer[]>;
  /** The thread as the last statement saw it; `undefined` where it is not there. */
  readonly found: () => FoundThread | undefined;
  /** How many entries were read. */
  readonly fetched: () => number;
}

/** A thread that is there. */
export interface FoundThread {
  /** How many suffixes were replaced. */
  readonly replacements: number;
  readonly head: string | undefined;
}

/** Makes a reader for one call of a verb. */
export function threadReader(
  { schema, read }: Connection,
  threadId: string,
  {
    guesses = [],
    isRequired = false,
    signal,
  }: {
    readonly guesses?: readonly Guess[];
    readonly isRequired?: boolean;
    readonly signal?: AbortSignal | undefined;
  } = {},
): ThreadReader {
  const sql = `SELECT * FROM ${schema}.read($1::text, $2::text::json, $3::text::json)`;
  const guessed = new Map<number, EntryRow>();
  const summaries = new Map<string, StoredSummary>();
  let thread: FoundThread | undefined;
  let isFirst = true;
  let fetched = 0;

  async function ask(round: readonly Fetch[]): Promise<readonly Answer[]> {
    const sent = isFirst ? guesses : [];
    isFirst = false;
    const fetches = JSON.stringify(round.map(asArgument));
    const rows = await read(sql, [rowKey(threadId), fetches, JSON.stringify(sent)], signal);
    const byFetch = new Map<number, PostgresRow[]>();
    for (const row of rows) {
      const nth = numberOf(row, "nth");
      const known = byFetch.get(nth);
      if (known === undefined) byFetch.set(nth, [row]);
      else known.push(row);
    }
    const before = thread;
    thread = threadOf(byFetch.get(THREAD)?.[0]);
    if (before !== undefined && thread?.replacements !== before.replacements) throw MOVED;
    if (thread === undefined && isRequired) throw threadMissing();
    for (const row of byFetch.get(GUESSED) ?? []) {
      const entry = entryRow(row);
      guessed.set(entry.position, entry);
    }
    for (const row of byFetch.get(GUESSED_SUMMARIES) ?? []) {
      const summary = storedSummary(row);
      summaries.set(summary.id, summary);
    }
    return round.map((fetch, index) => answerOf(fetch, byFetch.get(index) ?? [], thread));
  }

  return {
    answer: async (round) => {
      const known = answerGuessed(round, guessed, summaries);
      const answers = known ?? (await ask(round));
      for (const answer of answers) if (answer.kind === "entries") fetched += answer.rows.length;
      return answers;
    },
    found: () => thread,
    fetched: () => fetched,
  };
}

/** Thrown where the thread's end was replaced between two statements of a call: begin the call again. */
export const MOVED: Error = new Error("The thread's end was replaced during the call.");

/** How often that may happen to one call. */
const MOST_MOVES = 50;

/** Does work, and again where the thread's end was replaced in the middle of it. */
export async function whileMoved<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 0; tries < MOST_MOVES; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (error !== MOVED) throw error;
      countRetry();
    }
  }
  throw busy();
}

const THREAD = -1;
const GUESSED = -2;
const GUESSED_SUMMARIES = -3;

/** Rows that are missing within this many are reported one by one; a version beyond all rows would have a read go through positions without a limit. */
const MOST_MISSING = 1000;

function threadOf(row: PostgresRow | undefined): FoundThread | undefined {
  if (row === undefined) return undefined;
  if (textOf(row, "k") !== undefined) throw threadDeleted();
  const [version, present, head] = [numberOf(row, "n"), numberOf(row, "c"), textOf(row, "v")];
  const { entryCount, replacements } = countsOf(head);
  const claimed = Math.max(version, entryCount);
  if (present < 0 || claimed > present + MOST_MISSING) throw threadCorrupt("version");
  return { replacements, head };
}

function answerGuessed(
  round: readonly Fetch[],
  entries: ReadonlyMap<number, EntryRow>,
  summaries: ReadonlyMap<string, StoredSummary>,
): readonly Answer[] | undefined {
  const answers: Answer[] = [];
  for (const fetch of round) {
    if (fetch.kind === "entries" && fetch.positions.every((at) => entries.has(at))) {
      answers.push({
        kind: "entries",
        rows: fetch.positions.flatMap((at) => entries.get(at) ?? []),
      });
    } else if (fetch.kind === "summaries" && fetch.ids.every((id) => summaries.has(id))) {
      answers.push({
        kind: "summaries",
        summaries: fetch.ids.flatMap((id) => summaries.get(id) ?? []),
      });
    } else {
      return undefined;
    }
  }
  return answers;
}

/** A fetch as the function `read` receives it. */
function asArgument(fetch: Fetch): object {
  const { kind } = fetch;
  switch (kind) {
    case "thread":
    case "overlays":
      return { kind, ...(fetch.view !== undefined && { view: rowKey(fetch.view) }) };
    case "facts":
      return { kind, keys: fetch.keys.map(rowKey) };
    case "positions":
    case "summaries":
    case "replaced":
      return { kind, keys: fetch.ids.map(rowKey) };
    case "operation":
      return { kind, id: rowKey(fetch.id) };
    case "references": {
      const { stream, after = -1, before = MOST, limit } = fetch;
      const range = { after, before: Math.min(before, MOST), limit: Math.min(limit, MOST) };
      return { kind, stream: rowKey(stream), ...range };
    }
    case "entries":
      return { kind, keys: fetch.positions.map(String) };
    case "log":
      return { kind, from: fetch.from, to: Math.min(fetch.to, MOST) };
  }
}

/** The highest number of four bytes. */
const MOST = 2 ** 31 - 1;

function answerOf(
  fetch: Fetch,
  rows: readonly PostgresRow[],
  thread: FoundThread | undefined,
): Answer {
  switch (fetch.kind) {
    case "thread": {
      const [row] = rows;
      const untouched = fetch.view === undefined ? 0 : (thread?.replacements ?? 0);
      const viewRevision = row === undefined ? untouched : numberOf(row, "n");
      return { kind: "thread", head: thread?.head, state: textOf(row, "v"), viewRevision };
    }
    case "facts": {
      const names = keyedNames(fetch.keys);
      const facts = rows.map((row) => [names(textOf(row, "k")), textOf(row, "v") ?? ""] as const);
      return { kind: "facts", facts: new Map(facts) };
    }
    case "references":
      return {
        kind: "references",
        rows: rows.map((row) => ({ key: numberOf(row, "n"), references: textOf(row, "v") ?? "" })),
      };
    case "positions": {
      const names = keyedNames(fetch.ids);
      const found = rows.map((row) => [names(textOf(row, "k")), numberOf(row, "n")] as const);
      return { kind: "positions", positions: new Map(found) };
    }
    case "entries":
    case "log":
      return { kind: "entries", rows: rows.map(entryRow) };
    case "summaries":
    case "overlays":
      return { kind: "summaries", summaries: rows.map(storedSummary) };
    case "replaced": {
      const names = keyedNames(fetch.ids);
      const replaced = new Map<string, readonly ReplacedEntry[]>();
      for (const row of rows) {
        const id = names(textOf(row, "k"));
        const earlier = replaced.get(id) ?? [];
        replaced.set(id, [...earlier, { nth: numberOf(row, "n"), json: soundText(row) }]);
      }
      return { kind: "replaced", replaced };
    }
    case "operation": {
      const [row] = rows;
      if (row === undefined) return { kind: "operation", operation: undefined };
      const { id } = fetch;
      const operation = { id, hash: textOf(row, "v") ?? "", version: numberOf(row, "n") };
      return { kind: "operation", operation };
    }
  }
}

function entryRow(row: PostgresRow): EntryRow {
  const tokens = textOf(row, "x");
  return {
    position: numberOf(row, "n"),
    json: soundText(row),
    ...(tokens !== undefined && { tokens }),
  };
}

/** The stored text, or none where its checksum says that it is another: it is reported with its position, as broken JSON is. */
export function soundText(row: PostgresRow): string {
  const json = textOf(row, "v") ?? "";
  return checksumOf(json) === numberOf(row, "c") ? json : "";
}

/** A shortened key does not give the id back; the text has it. */
function storedSummary(row: PostgresRow): StoredSummary {
  const json = soundText(row);
  if (json === "") throw threadCorrupt("summary");
  const { id, view }: { readonly id: string; readonly view: HistoryView } = JSON.parse(json);
  if (rowKey(id) !== textOf(row, "k") || rowKey(view) !== textOf(row, "x")) {
    throw threadCorrupt("summary");
  }
  return { id, view, json };
}
