import type { HistoryEntry } from "@agent-history/core";

import type { Draw } from "./draw.ts";

/** Puts a summary into a log in one of twenty: one that an earlier compaction left, or a provider's own item, which stands for all before it. */
export function addSummary(log: readonly HistoryEntry[], draw: Draw): readonly HistoryEntry[] {
  if (!draw.chance(0.05)) return log;
  const content = draw.text();
  const told = { id: "summary", createdAtMs: 0, type: "summary", content, trust: "user" } as const;
  const summary: HistoryEntry = draw.chance(0.5)
    ? { ...told, strategy: "provider" }
    : { ...told, strategy: "wholeHistory", view: "thread", covers: [] };
  return log.toSpliced(draw.below(log.length + 1), 0, summary);
}
