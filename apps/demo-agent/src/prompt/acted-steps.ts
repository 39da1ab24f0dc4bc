import type { HistoryEntry } from "@agent-history/core";
import type { ModelCallHistory } from "@agent-history/history-manager";

/** Names what made a prompt smaller than the thread, in the order in which it acts. */
export function actedSteps(
  { entries, plan }: ModelCallHistory,
  prompt: {
    readonly threadTokens: number;
    readonly shownTokens: number;
    readonly hasCleaned: (entry: HistoryEntry) => boolean;
  },
): readonly string[] {
  const acted = plan.decisions.filter(({ action }) => action.kind !== "keep");
  const viewTokens = plan.decisions.reduce((sum, { tokensBefore }) => sum + tokensBefore, 0);
  return [
    ...(viewTokens < prompt.threadTokens ? ["filter"] : []),
    ...(entries.some(({ type }) => type === "summary") ? ["summary"] : []),
    ...(entries.some(prompt.hasCleaned) ? ["clean"] : []),
    ...new Set(acted.map(({ step }) => step)),
  ];
}
