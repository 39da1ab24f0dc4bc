import { SUMMARY } from "@agent-history/core";
import type { HistoryEntry, SummaryEntry, ToolAnswer } from "@agent-history/core";

import { readSeen, refusal } from "./recall-originals.ts";
import type { Recalling } from "./recall-originals.ts";
import { describeEntry, onOneLine, originalText } from "./recall-quote.ts";
import { characterStart, longestWithin } from "./truncate-to-tokens.ts";

/** Length of each quote, in UTF-16 code units. */
const OPENING = 100;

/** Lists the entries that a summary replaces, oldest first, one line each. The summary stays. */
export async function expandSummary(
  recalling: Recalling,
  { id, from }: { readonly id: string | undefined; readonly from: number },
  signal: AbortSignal | undefined,
): Promise<ToolAnswer> {
  const [shown, originals] = await Promise.all([
    readSeen(recalling, false, signal),
    readSeen(recalling, true, signal),
  ]);
  const summary = shown.findLast(
    (entry) => isOverlay(entry) && (id === undefined || entry.id === id),
  );
  if (summary?.type !== SUMMARY) {
    const some = id === undefined ? "No entry that you may read has been summarized." : undefined;
    return refusal(some ?? "No summary that you may read has this id.");
  }
  const covered = coveredBy(summary, shown, originals).slice(from);
  const lines = covered.map((entry) => lineOf(entry, recalling));
  const render = (count: number): string => {
    const left = lines.length - count;
    const next = left > 0 ? [`More: ${left} entries, from ${from + count}`] : [];
    return [
      `Summary ${JSON.stringify(summary.id)} stands for:`,
      ...lines.slice(0, count),
      ...next,
    ].join("\n");
  };
  const { maxTokens, counter } = recalling;
  const within = await longestWithin({ size: lines.length, render, maxTokens, counter });
  return { outcome: "success", content: within?.text ?? "", sources: [] };
}

function isOverlay(entry: HistoryEntry): entry is SummaryEntry {
  return entry.type === SUMMARY && entry.view !== undefined;
}

/** The originals of its runs. Where a run ends at a summary below it, what is not shown between the neighbors of the summary. */
function coveredBy(
  summary: SummaryEntry,
  shown: readonly HistoryEntry[],
  originals: readonly HistoryEntry[],
): readonly HistoryEntry[] {
  const indexes = new Map(originals.map(({ id }, index) => [id, index]));
  const runs = (summary.covers ?? []).map(({ from, to }) => [indexes.get(from), indexes.get(to)]);
  const visible = new Set(shown.map(({ id }) => id));
  const at = shown.indexOf(summary);
  const before = shown.slice(0, at).findLast(({ id }) => indexes.has(id));
  const after = shown.slice(at + 1).find(({ id }) => indexes.has(id));
  const first = (indexes.get(before?.id ?? "") ?? -1) + 1;
  const end = indexes.get(after?.id ?? "") ?? originals.length;
  return originals.filter(({ id }, index) => {
    if (visible.has(id)) return false;
    const isBetween = index >= first && index < end;
    return runs.some(([low, high]) =>
      low === undefined || high === undefined ? isBetween : index >= low && index <= high,
    );
  });
}

function lineOf(entry: HistoryEntry, { toolNames }: Recalling): string {
  const text = originalText(entry, toolNames);
  const opening = onOneLine(text.slice(0, characterStart(text, OPENING)));
  const length = text.length > OPENING ? ` … (${text.length} characters)` : "";
  return `- ${describeEntry(entry)}, id ${JSON.stringify(entry.id)}: ${opening}${length}`;
}
