import { splitTurns } from "@agent-history/core";
import type { EntryType, HistoryEntry } from "@agent-history/core";

import type { CallOptions } from "../history-manager.ts";
import type { ThreadUsage, Usage } from "../thread-usage.ts";
import type { ManagedThread } from "./managed-thread.ts";
import { readUsage } from "./provider-usage.ts";

/** Counts what a thread costs, as it was written. Takes the counts that stand beside the entries, and counts the rest. */
export async function countUsage(
  thread: ManagedThread,
  { signal }: CallOptions = {},
): Promise<ThreadUsage> {
  const { store, threadId, counter } = thread.options;
  const { entries, tokens: stored } = await store.read(threadId, {
    originals: true,
    ...(signal && { signal }),
  });
  const known = stored.get(counter.id) ?? [];
  const tokens = new Map<HistoryEntry, number>();
  for (const [index, entry] of entries.entries()) {
    tokens.set(entry, known[index] ?? (await counter.countEntry(entry, undefined, signal)));
  }
  const provider = await readUsage(thread, signal);
  const usage = usageOf(entries, (entry) => tokens.get(entry) ?? 0);
  return { ...usage, ...(provider && { provider }) };
}

function usageOf(
  entries: readonly HistoryEntry[],
  tokensOf: (entry: HistoryEntry) => number,
): ThreadUsage {
  const byType = new Map<EntryType, Usage>();
  const byAgent = new Map<string | undefined, Usage>();
  const byTurn = new Map<string, Usage>();
  let total = 0;
  for (const { id, entries: turn } of splitTurns(entries)) {
    const name = id ?? turn[0]?.id ?? "";
    for (const entry of turn) {
      const tokens = tokensOf(entry);
      total += tokens;
      add(byType, entry.type, tokens);
      add(byAgent, entry.agent?.id, tokens);
      add(byTurn, name, tokens);
    }
  }
  return {
    entries: entries.length,
    tokens: total,
    byType: [...byType].map(([type, usage]) => ({ type, ...usage })),
    byAgent: [...byAgent].map(([agentId, usage]) => ({
      ...(agentId !== undefined && { agentId }),
      ...usage,
    })),
    byTurn: [...byTurn].map(([turnId, usage]) => ({ turnId, ...usage })),
  };
}

function add<Key>(usages: Map<Key, Usage>, key: Key, tokens: number): void {
  const { entries, tokens: before } = usages.get(key) ?? { entries: 0, tokens: 0 };
  usages.set(key, { entries: entries + 1, tokens: before + tokens });
}
