import { sameJson } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

/** The rows of a page: the log, and entries that only views contain, each after the entry that it first followed. */
export interface RowTable {
  /** Returns the number of a view's entry, equal for equal entries; `rows` maps numbers to rows. */
  readonly add: (entry: HistoryEntry, after: number | undefined) => number;
  /** Returns all entries in row order, and the row of each number. */
  readonly rows: () => {
    readonly entries: readonly HistoryEntry[];
    readonly rowOf: readonly number[];
  };
}

/** Creates a table with the log, whose entries get the numbers from 0. A duplicate id refers to its first position. */
export function rowTable(log: readonly HistoryEntry[]): RowTable {
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
