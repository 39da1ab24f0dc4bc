import { agentView } from "@agent-history/core";
import type { HistoryEntry, HistoryStore } from "@agent-history/core";

/**
 * Gives what a thread came to, as text: its log and what the conversation and each agent are shown of it. Times are left out, and which
 * process asked: these are another's after a restart.
 */
export async function finalState(store: HistoryStore, threadId: string): Promise<string> {
  const { entries: log } = await store.read(threadId, { originals: true });
  const agents = new Set(log.flatMap(({ agent }) => (agent === undefined ? [] : [agent.id])));
  const views = ["conversation" as const, ...[...agents].toSorted().map(agentView)];
  const shown = await Promise.all(
    views.map(
      async (view) => (await store.read(threadId, { query: { clauses: [{}], view } })).entries,
    ),
  );
  return [log, ...shown].map((entries) => entries.map(lineOf).join("\n")).join("\n\n");
}

function lineOf(entry: HistoryEntry): string {
  const { createdAtMs: _, metadata: { askedBy: __, ...metadata } = {}, ...rest } = entry;
  return JSON.stringify({ ...rest, metadata });
}
