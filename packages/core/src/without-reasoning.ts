import type { HistoryEntry } from "./history-entry.ts";

/**
 * Returns an entry without its reasoning, with the positions of the reasoning in `leftOut`; the same entry if it has none. An answer of reasoning alone becomes `content: []`.
 */
export function withoutReasoning(whole: HistoryEntry): HistoryEntry {
  if (!Array.isArray(whole.content)) return whole;
  // Parts that continue the previous part belong to its block.
  const blocks = whole.content.filter(({ extra }) => extra?.["joins"] !== true);
  const leftOut = blocks.flatMap(({ type }, index) => (type === "reasoning" ? index : []));
  if (leftOut.length === 0) return whole;
  const content = whole.content.filter(({ type }) => type !== "reasoning");
  const entry = { ...whole, leftOut };
  if (entry.type !== "action") return { ...entry, content };
  const { content: _, ...calls } = entry;
  return content.length === 0 ? calls : { ...calls, content };
}
