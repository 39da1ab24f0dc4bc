import type {
  CompressionItem,
  CompressionProposal,
  Concept,
  HistoryEntry,
} from "@agent-history/core";

import { unframeSummary } from "./summary-frame.ts";
import { textOfEntry } from "./text-of-entry.ts";

/** What becomes one summary, as far as the laws allow. */
export interface AllowedSpan {
  /** In the order of the view. */
  readonly covered: readonly HistoryEntry[];
  /** What is read of it, without earlier summaries. Never without text. */
  readonly read: readonly HistoryEntry[];
  /** The text of the earlier summaries that it covers. */
  readonly previous?: string;
  readonly concepts?: readonly Concept[];
  /** The summary, where it is written already. */
  readonly text?: string;
  readonly isDropped: boolean;
  readonly tokens: number;
}

/** Takes of a proposal what may be covered: each item once, in order. A span with nothing new to read, or without a word in it, is none, unless it is written or dropped. */
export function allowedSpans(
  items: readonly CompressionItem[],
  { spans }: CompressionProposal,
): readonly AllowedSpan[] {
  const indexes = new Map(items.map((item, index) => [item, index]));
  const taken = new Set<CompressionItem>();
  return spans.flatMap(({ covers, reads = covers, concepts, text, isDropped = false }) => {
    const inOrder = (some: readonly CompressionItem[]): readonly CompressionItem[] =>
      [...new Set(some)]
        .filter((item) => item.isCoverable && indexes.has(item) && !taken.has(item))
        .toSorted((one, other) => (indexes.get(one) ?? 0) - (indexes.get(other) ?? 0));
    const covered = inOrder(covers);
    const own = new Set(covered);
    const read = inOrder(reads).filter((item) => own.has(item) && !item.isEarlierSummary);
    // A model that is shown nothing invents something.
    const isReadable = read.some(({ entries }) => entries.some((one) => textOfEntry(one) !== ""));
    if (covered.length === 0 || !(isReadable || isDropped || text !== undefined)) return [];
    const earlier = covered.filter(({ isEarlierSummary }) => isEarlierSummary);
    for (const item of covered) taken.add(item);
    return [
      {
        covered: covered.flatMap(({ entries }) => entries),
        read: read.flatMap(({ entries }) => entries),
        tokens: covered.reduce((sum, { tokens }) => sum + tokens, 0),
        ...(earlier.length > 0 && { previous: earlier.map(textOfSummary).join("\n") }),
        ...(concepts !== undefined && { concepts }),
        ...(text !== undefined && { text }),
        isDropped,
      },
    ];
  });
}

function textOfSummary({ entries }: CompressionItem): string {
  const [entry] = entries;
  return entry?.type === "summary" ? unframeSummary(entry.content) : "";
}
