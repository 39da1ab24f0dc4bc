import type { HistoryEntry } from "@agent-history/core";

/** Tells whether a new entry stands in the middle of what the call before left out. */
export function standsAmongDropped(
  given: readonly HistoryEntry[],
  {
    known,
    dropped,
  }: { readonly known: ReadonlySet<string>; readonly dropped: ReadonlySet<string> },
): boolean {
  const old = (at: number, step: number): boolean => {
    let place = at;
    while (given[place] !== undefined && !known.has(given[place]?.id ?? "")) place += step;
    return dropped.has(given[place]?.id ?? "");
  };
  return given.some(({ id }, at) => !known.has(id) && old(at, -1) && old(at, 1));
}
