import { agentView, SUMMARY } from "@agent-history/core";
import type { HistoryEntry, HistoryStore, HistoryView } from "@agent-history/core";

import { inspectPlans } from "./inspect-plans.ts";
import type { Inspection } from "./inspection.ts";
import type { InspectorData } from "./inspector-data.ts";

/** Options of {@link inspectThread}; see {@link inspectPlans}. */
export interface InspectThreadOptions extends Partial<Omit<Inspection, "entries">> {
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads a thread from a store and shows its contents: the entries, and each summary after the last entry that it covers. It calls only `read`, so it
 * writes nothing. Costs one read of the thread, and one of the summaries of each agent.
 *
 * @param options - With `plans`, e.g. recorded ones, it also shows what each call was sent.
 * @throws Errors of the store.
 *
 * @example
 * ```ts
 * import { userMessage } from "@agent-history/core";
 * import { memoryStore } from "@agent-history/store-kit";
 * import { inspectThread } from "@agent-history/inspector";
 *
 * const store = memoryStore();
 * await store.append("chat", [userMessage({ id: "q", createdAtMs: 0, content: "Run the tests." })]);
 * (await inspectThread(store, "chat")).entries.map(({ id }) => id);
 * // => ["q"]
 * ```
 */
export async function inspectThread(
  store: Pick<HistoryStore, "read">,
  threadId: string,
  { signal, plans = [], ...drawing }: InspectThreadOptions = {},
): Promise<InspectorData> {
  const cancellation = signal && { signal };
  const all = { originals: true, ...cancellation };
  const { entries: log, problems } = await store.read(threadId, all);
  const summaries: HistoryEntry[] = [];
  const agents = new Set(log.flatMap(({ agent }) => agent?.id ?? []));
  const views: readonly HistoryView[] = ["thread", "conversation", ...[...agents].map(agentView)];
  for (const view of views) {
    const query = { clauses: [{ types: [SUMMARY] }], view };
    const { entries } = await store.read(threadId, { query, ...cancellation });
    for (const entry of entries) summaries.push(entry);
  }
  const data = inspectPlans({ ...drawing, plans, entries: withSummaries(log, summaries) });
  const unread = problems.map(({ kind, reason }) => `An entry cannot be read (${kind}): ${reason}`);
  return { ...data, problems: [...data.problems, ...unread] };
}

function withSummaries(
  log: readonly HistoryEntry[],
  summaries: readonly HistoryEntry[],
): readonly HistoryEntry[] {
  const known = new Set(log.map(({ id }) => id));
  const behind = new Map<string | undefined, HistoryEntry[]>();
  for (const summary of new Map(summaries.map((one) => [one.id, one])).values()) {
    if (known.has(summary.id)) continue;
    const last = summary.type === "summary" ? summary.covers?.at(-1)?.to : undefined;
    behind.set(last, [...(behind.get(last) ?? []), summary]);
  }
  const place = (entry: HistoryEntry): readonly HistoryEntry[] => {
    const following = behind.get(entry.id) ?? [];
    behind.delete(entry.id);
    return [entry, ...following.flatMap(place)];
  };
  return [...log.flatMap(place), ...[...behind.values()].flat()];
}
