import type { EntryEdit, ObservationEntry } from "@agent-history/core";

import type { ReductionItem, ReductionProposal, ReductionSituation } from "../reduction-step.ts";

/** Proposes edits for each result of some items, one after the other, oldest first. */
export function* proposeResults(
  { items, currentEntry }: ReductionSituation,
  options: {
    readonly of: (item: ReductionItem) => boolean;
    readonly edits: readonly ((entry: ObservationEntry) => EntryEdit | undefined)[];
    readonly reason: string;
  },
): Generator<ReductionProposal> {
  const { of, edits, reason } = options;
  const results = items
    .filter(of)
    .flatMap(({ entries }) => entries.filter(({ type }) => type === "observation"));
  for (const editOf of edits) {
    for (const entry of results) {
      const current = currentEntry(entry);
      const edit = current.type === "observation" ? editOf(current) : undefined;
      if (edit !== undefined) yield { kind: "edit", entry, edit, reason };
    }
  }
}

/** Keeps the head and the tail of a result that is longer. */
export function headAndTail(characters: number): EntryEdit {
  return { text: { head: Math.ceil(characters * 0.7), tail: Math.floor(characters * 0.3) } };
}

/** Keeps the head and the tail of a result that has more text than that. */
export function shortened(
  { content }: ObservationEntry,
  characters: number,
): EntryEdit | undefined {
  const isShort = typeof content === "string" && content.length <= characters;
  return isShort ? undefined : headAndTail(characters);
}

/** Keeps the first sources of a result, by rank; nothing where it has no more. */
export function firstSources(
  { sources = [] }: ObservationEntry,
  count: number,
): EntryEdit | undefined {
  if (sources.length <= count) return undefined;
  return { sources: sources.slice(0, count).map(({ number }) => number) };
}

/** Leaves a line of a result that says how large it was. */
export function cleared(): EntryEdit {
  return { clear: true };
}
