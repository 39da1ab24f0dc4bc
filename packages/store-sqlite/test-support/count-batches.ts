import type { HistoryEntry } from "@agent-history/core";

/** Counts of batches in a log whose entry ids are `<writer>/<batch>/<index>/<size>`. */
export interface BatchCount {
  /** Whole batches by writer, in the order in which they were sent. */
  readonly whole: ReadonlyMap<string, number>;
  readonly torn: number;
  readonly doubled: number;
  readonly outOfOrder: number;
}

/** Counts whole, torn, doubled and misplaced batches. */
export function countBatches(entries: readonly HistoryEntry[]): BatchCount {
  const whole = new Map<string, number>();
  const seen = new Set<string>();
  let [torn, doubled, outOfOrder] = [0, 0, 0];
  for (let start = 0; start < entries.length;) {
    const [writer = "", nth = "", , size = "1"] = entries[start]?.id.split("/") ?? [];
    const ids = entries.slice(start, start + Number(size)).map(({ id }) => id);
    const isWhole = ids.every((id, index) => id === `${writer}/${nth}/${index}/${size}`);
    if (!isWhole || ids.length !== Number(size)) torn += 1;
    for (const id of ids) doubled += seen.has(id) ? 1 : 0;
    for (const id of ids) seen.add(id);
    if (Number(nth) !== (whole.get(writer) ?? 0)) outOfOrder += 1;
    whole.set(writer, (whole.get(writer) ?? 0) + 1);
    start += isWhole ? ids.length : 1;
  }
  return { whole, torn, doubled, outOfOrder };
}
