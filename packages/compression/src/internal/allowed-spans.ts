import type {
  CompressionItem,
  CompressionProposal,
  Concept,
  HistoryEntry,
  SummaryPart,
} from "@agent-history/core";

import { followedBy } from "../record/merge-parts.ts";
import { unframeSummary } from "./summary-frame.ts";
import { textOfEntry } from "./text-of-entry.ts";

/** What becomes one summary, as far as the laws allow. */
export interface AllowedSpan {
  /** In the order of the view. */
  readonly covered: readonly HistoryEntry[];
  /** What is read of it, without earlier summaries. Never without text. */
  readonly read: readonly HistoryEntry[];
  /** The parts of the earlier summaries that it covers. */
  readonly previous: readonly SummaryPart[];
  /** Their text; empty where there are none. */
  readonly previousText: string;
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
    for (const item of covered) taken.add(item);
    return [
      {
        covered: covered.flatMap(({ entries }) => entries),
        read: read.flatMap(({ entries }) => entries),
        tokens: covered.reduce((sum, { tokens }) => sum + tokens, 0),
        ...previousOf(covered.flatMap(({ entries }) => entries)),
        ...(concepts !== undefined && { concepts }),
        ...(text !== undefined && { text }),
        isDropped,
      },
    ];
  });
}

/** The parts of earlier summaries, one after the other. One that is no record is a part as a whole. */
function previousOf(
  covered: readonly HistoryEntry[],
): Pick<AllowedSpan, "previous" | "previousText"> {
  const summaries = covered.filter((entry) => entry.type === "summary");
  let previous: readonly SummaryPart[] = [];
  for (const { id, content, parts } of summaries) {
    const text = unframeSummary(content);
    const own = parts ?? (text === "" ? [] : [{ kind: "earlier", key: id, text, at: 0 }]);
    previous = followedBy(previous, own);
  }
  const texts = summaries.map(({ content }) => unframeSummary(content));
  return { previous, previousText: texts.join("\n") };
}
