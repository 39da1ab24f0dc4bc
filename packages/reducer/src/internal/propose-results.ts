import type { EntryEdit, ObservationEntry } from "@agent-history/core";

import type { ReductionItem, ReductionProposal, ReductionSituation } from "../reduction-step.ts";

/** Proposes one edit for each result of some items, oldest first. */
export function* proposeResults(
  { items, currentEntry }: ReductionSituation,
  options: {
    readonly of: (item: ReductionItem) => boolean;
    readonly edit: (entry: ObservationEntry) => EntryEdit | undefined;
    readonly reason: string;
  },
): Generator<ReductionProposal> {
  for (const item of items) {
    if (item.isDropped || !options.of(item)) continue;
    for (const entry of item.entries) {
      const current = currentEntry(entry);
      const edit = current.type === "observation" ? options.edit(current) : undefined;
      if (edit !== undefined) yield { kind: "edit", entry, edit, reason: options.reason };
    }
  }
}

/** Keeps the head and the tail of a result that is longer. */
export function headAndTail(characters: number): EntryEdit {
  return { text: { head: Math.ceil(characters * 0.7), tail: Math.floor(characters * 0.3) } };
}

/** Keeps the first sources of a result, by rank; nothing where it has no more. */
export function firstSources(
  { sources = [] }: ObservationEntry,
  count: number,
): EntryEdit | undefined {
  if (sources.length <= count) return undefined;
  return { sources: sources.slice(0, count).map(({ number }) => number) };
}
