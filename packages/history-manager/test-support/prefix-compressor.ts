import { groupExchanges, summary } from "@agent-history/core";
import type { Compressor, HistoryEntry } from "@agent-history/core";

/** Makes one summary of the older half, as far as no exchange is cut in two. The same entries give the same summary. */
export const prefixCompressor: Compressor = {
  name: "prefix",
  compress: async (entries, { view }) => {
    const count = safePrefix(entries);
    const [first] = entries;
    const last = entries[count - 1];
    if (count < 2 || first === undefined || last === undefined) {
      return { outcome: "not-needed", reason: "there is too little" };
    }
    const made = summary({
      id: `summary of ${first.id} to ${last.id} in ${view}`,
      createdAtMs: 0,
      content: `${count} entries`,
      strategy: "prefix",
      trust: "tool",
      covers: [{ from: first.id, to: last.id }],
    });
    const compaction = { summary: { ...made, view }, tokensBefore: 100, tokensAfter: 10 };
    return { outcome: "compressed", compaction };
  },
};

function safePrefix(entries: readonly HistoryEntry[]): number {
  const indexes = new Map(entries.map((entry, index) => [entry, index]));
  const question = entries.findLastIndex(({ type }) => type === "user_message" || type === "task");
  let count = Math.min(Math.floor(entries.length / 2), Math.max(question, 0));
  for (const group of groupExchanges(entries).toReversed()) {
    if (group.kind === "single") continue;
    const start = indexes.get(group.action) ?? 0;
    const end = Math.max(...group.observations.map((entry) => indexes.get(entry) ?? 0), start);
    const isCut = start < count && (end >= count || group.unanswered.length > 0);
    if (isCut) count = start;
  }
  return count;
}
