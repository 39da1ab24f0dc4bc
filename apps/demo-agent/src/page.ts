import type { HistoryStore } from "@agent-history/core";
import { inspectThread } from "@agent-history/inspector";
import type { InspectorData, PlannedCall } from "@agent-history/inspector";

import type { ModelCall } from "./ask.ts";
import { counter, filters } from "./history.ts";

/** Records the plan of each call with the view that it was made of and what the model reported, for the inspector's page. */
export function pageRecorder() {
  const plans: PlannedCall[] = [];
  return {
    onCall: async ({ prompt, history, inputTokens, cachedTokens }: ModelCall): Promise<void> => {
      const { agent, ...place } = history?.scope ?? {};
      if (prompt === undefined || history === undefined || agent === undefined) return;
      const context = { ...place, role: agent.role, agentId: agent.id };
      const filter = filters[agent.role];
      const { entries } = await history.read(filter.query(context));
      const shown = filter.refine?.(entries, context) ?? entries;
      const view = [...prompt.entries.slice(0, 1), ...shown];
      const cache = { cacheReadTokens: cachedTokens, cacheWriteTokens: 0, cacheWrite1hTokens: 0 };
      const usage = { ...cache, inputTokens: inputTokens - cachedTokens, outputTokens: 0 };
      plans.push({ plan: prompt.plan, entries: view, agent, usage, atMs: Date.now() });
    },
    /** The data of the page. */
    data: async (store: HistoryStore, threadId: string): Promise<InspectorData> =>
      inspectThread(store, threadId, { plans, counter }),
  };
}
