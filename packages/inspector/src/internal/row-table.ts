import { sameJson } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

/** The rows of a page: the log, and what only views hold, each behind the entry that it first followed. */
export interface RowTable {
  /** Returns the number of an entry of a view, the same for the same entry; a number is a row only after `rows`. */
  readonly add: (entry: HistoryEntry, after: number | undefined) => number;
  /** Returns all entries in the order of rows, and the row of each number. */
  readonly rows: () => {
    readonly entries: readonly HistoryEntry[];
    readonly rowOf: readonly number[];
  };
}

/** Begins with the log: its entries have the numbers from 0. An id that appears twice in it is known by its first place. */
export function rowTable(log: readonly HistoryEntry[]): RowTable {
  const all: HistoryEntry[] = [...log];
  const anchors: number[] = log.map((_, index) => index);
  const byId = new Map<string, number>();
  log.forEach(({ id }, index) => byId.has(id) || byId.set(id, index));
  const instructions = log.flatMap(({ type }, index) => (type === "system_message" ? [index] : []));
  /** Instructions are known by what they say: each call may give them a new id, and each agent its own under one id. */
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
      // What stands for itself comes first of what has one anchor.
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
