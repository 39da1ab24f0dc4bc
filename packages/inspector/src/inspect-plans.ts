import { isInView, sameJson } from "@agent-history/core";
import type { HistoryEntry, SummaryEntry } from "@agent-history/core";
import { baseName, entryText, fileWords, LIST_PRICES } from "@agent-history/transcripts";

import type { Inspection } from "./inspection.ts";
import type { DrawnCompaction, DrawnFact, InspectorData } from "./inspector-data.ts";
import { cellRuns, columnOf, draftCall } from "./internal/draw-call.ts";
import type { DraftCall } from "./internal/draw-call.ts";
import { requestChanges } from "./internal/request-changes.ts";
import { lengthCounter } from "./length-counter.ts";

/**
 * Computes what the plans of model calls did to each entry of a log, as data for the page. Linear in the entries of all views. A plan that was made for other entries
 * gets an empty column and is listed in `problems`.
 *
 * @example
 * ```ts
 * import { userMessage } from "@agent-history/core";
 * import { inspectPlans, lengthCounter } from "@agent-history/inspector";
 * import { planReduction } from "@agent-history/reducer";
 *
 * const entries = [userMessage({ id: "q", createdAtMs: 0, content: "Run the tests." })];
 * const plan = planReduction(entries, { counter: lengthCounter(), window: { contextTokens: 1000 } });
 * inspectPlans({ plans: [plan], entries }).calls.map(({ runs, decisions }) => [runs, decisions[0]?.state]);
 * // => [[[[0, 1, 0]], "kept"]]
 * ```
 */
export function inspectPlans(inspection: Inspection): InspectorData {
  const { entries: log, prices = LIST_PRICES, counter = lengthCounter() } = inspection;
  const table = rowTable(log);
  const drafts = inspection.plans.map((plan) =>
    draftCall("plan" in plan ? plan : { plan }, log, counter, table.add),
  );
  const { entries, rowOf } = table.rows();
  const rows = new Map(entries.map(({ id }, row) => [id, row]));
  const rowIn = (id: string, views: readonly DraftCall[]): number | undefined => {
    const numbers = views.flatMap((view) => view.numbers.get(id) ?? []);
    return numbers[0] === undefined ? rows.get(id) : rowOf[numbers[0]];
  };
  const changes = requestChanges(drafts, rowIn, prices);
  const calls = drafts.map((draft, index) => ({
    ...columnOf(draft, index, rowOf, prices),
    change: changes[index],
  }));
  const tokens = entries.map((entry) => counter.countEntry(entry));
  return {
    title: inspection.title ?? firstRequest(entries) ?? "agent-history",
    entries,
    tokens,
    counterId: counter.id,
    calls,
    compactions: findCompactions(entries, tokens),
    prices,
    problems: drafts.flatMap(({ isOther }, index) =>
      isOther
        ? `Call ${index + 1}: its plan was made for other entries. Pass the entries of that fit as \`entries\`.`
        : [],
    ),
  };
}

/** Returns the first request on one line, as a default title. */
function firstRequest(entries: readonly HistoryEntry[]): string | undefined {
  const text = entries.find(({ type }) => type === "user_message");
  const line = text && entryText(text).slice(0, 300).replaceAll(/\s+/g, " ").trim().slice(0, 120);
  return line === "" ? undefined : line;
}

/** The rows of a page: the log, and entries that only views contain, each after the entry that it first followed. */
interface RowTable {
  /** Returns the number of a view's entry, equal for equal entries; `rows` maps numbers to rows. */
  readonly add: (entry: HistoryEntry, after: number | undefined) => number;
  /** Returns all entries in row order, and the row of each number. */
  readonly rows: () => {
    readonly entries: readonly HistoryEntry[];
    readonly rowOf: readonly number[];
  };
}

/** Creates a table with the log, whose entries get the numbers from 0. A duplicate id refers to its first position. */
function rowTable(log: readonly HistoryEntry[]): RowTable {
  const all: HistoryEntry[] = [...log];
  const anchors: number[] = log.map((_, index) => index);
  const byId = new Map<string, number>();
  log.forEach(({ id }, index) => byId.has(id) || byId.set(id, index));
  const instructions = log.flatMap(({ type }, index) => (type === "system_message" ? [index] : []));
  /** Finds instructions by content: each call may give them a new id, and agents may share one id for different instructions. */
  const findInstructions = (entry: HistoryEntry): number | undefined => {
    const same = instructions.filter((index) => saysTheSame(all[index], entry));
    return same.find((index) => all[index]?.id === entry.id) ?? same[0];
  };
  return {
    add: (entry, after) => {
      const known = entry.type === "system_message" ? findInstructions(entry) : byId.get(entry.id);
      if (known !== undefined) return known;
      const number = all.push(entry) - 1;
      anchors.push(after === undefined ? -1 : (anchors[after] ?? -1));
      byId.set(entry.id, number);
      if (entry.type === "system_message") instructions.push(number);
      return number;
    },
    rows: () => {
      const order = all.map((_, number) => number);
      const anchorOf = (number: number): number => anchors[number] ?? -1;
      // Entries with the same anchor follow the anchor itself, which has the lower number.
      order.sort((a, b) => anchorOf(a) - anchorOf(b) || a - b);
      const rowOf = Array.from({ length: all.length }, () => 0);
      order.forEach((number, row) => (rowOf[number] = row));
      return { entries: order.flatMap((number) => all[number] ?? []), rowOf };
    },
  };
}

function saysTheSame(one: HistoryEntry | undefined, other: HistoryEntry): boolean {
  return (
    one?.type === "system_message" &&
    other.type === "system_message" &&
    sameJson(one.content, other.content)
  );
}

/** Finds the summaries among the rows that list what they cover, and checks which file names and numbers of the originals each contains. */
function findCompactions(
  entries: readonly HistoryEntry[],
  tokens: readonly number[],
): readonly DrawnCompaction[] {
  const rows = new Map<string, number>();
  entries.forEach(({ id }, row) => rows.has(id) || rows.set(id, row));
  return entries.flatMap((entry, row): readonly DrawnCompaction[] => {
    if (entry.type !== "summary" || entry.covers === undefined) return [];
    const covered = coveredRows(entry, entries, rows).filter((one) => one !== row);
    const text = entryText(entry);
    const originals = covered.flatMap((one) => entries[one] ?? []);
    return [
      {
        row,
        covers: cellRuns(covered.map((one) => [one, 0])).map(([from, count]) => [from, count]),
        tokensBefore: covered.reduce((sum, one) => sum + (tokens[one] ?? 0), 0),
        tokensAfter: tokens[row] ?? 0,
        basis: "named",
        facts: namedFacts(originals, text),
      },
    ];
  });
}

function coveredRows(
  { covers = [], view = "thread" }: SummaryEntry,
  entries: readonly HistoryEntry[],
  rows: ReadonlyMap<string, number>,
): readonly number[] {
  return covers.flatMap(({ from, to }) => {
    const [first, last] = [rows.get(from), rows.get(to)];
    if (first === undefined || last === undefined || last < first) return [];
    const isOf = (entry: HistoryEntry): boolean =>
      entry.id === from ||
      entry.id === to ||
      (isInView(entry, view) && entry.type !== "system_message");
    return entries
      .slice(first, last + 1)
      .flatMap((entry, index) => (isOf(entry) ? [first + index] : []));
  });
}

const MOST_FACTS = 200;

function namedFacts(originals: readonly HistoryEntry[], summary: string): readonly DrawnFact[] {
  const paths = new Set<string>();
  const numbers = new Set<string>();
  for (const text of originals.map(entryText)) {
    for (const path of fileWords(text)) paths.add(path);
    for (const [number] of text.matchAll(/(?<![\w.,-])\d[\d.,]*\d{2}(?![\w-])/g))
      numbers.add(number);
  }
  const factsOf = (kind: DrawnFact["kind"], found: ReadonlySet<string>): readonly DrawnFact[] =>
    [...found].slice(0, MOST_FACTS).map((text) => {
      return { kind, text, isKept: summary.includes(kind === "path" ? baseName(text) : text) };
    });
  return [...factsOf("path", paths), ...factsOf("number", numbers)];
}
