import { agentView } from "@agent-history/core";
import type { HistoryEntry, HistoryStore, HistoryView, SummaryEntry } from "@agent-history/core";

/** Which thread is looked at. */
export interface LayeredThread {
  readonly store: HistoryStore;
  readonly threadId: string;
  readonly signal: AbortSignal | undefined;
}

/**
 * Returns the summaries that stand in any view of a thread, those of lower layers first. A summary that another covers is shown by no read: where
 * there are such, they are laid bare on a fork under `scratchName`, which is deleted again.
 */
export async function readLayers(
  thread: LayeredThread,
  log: readonly HistoryEntry[],
  scratchName: () => string,
): Promise<readonly SummaryEntry[]> {
  const views = viewsOf(log);
  const top = await shownIn(thread, views);
  const ids = new Set(log.map(({ id }) => id));
  const isFlat = top.every(({ covers = [] }) =>
    covers.every(({ from, to }) => ids.has(from) && ids.has(to)),
  );
  const last = log.at(-1);
  if (isFlat || last === undefined) return top;
  const { store, threadId, signal } = thread;
  const cancellation = signal && { signal };
  const fork = await store.fork(threadId, { at: last.id, as: scratchName(), ...cancellation });
  try {
    return await peel({ ...thread, threadId: fork.threadId }, views);
  } finally {
    await store.delete(fork.threadId);
  }
}

/** Takes layer after layer off. */
async function peel(
  thread: LayeredThread,
  views: readonly HistoryView[],
): Promise<readonly SummaryEntry[]> {
  const { store, threadId, signal } = thread;
  const layers: (readonly SummaryEntry[])[] = [];
  for (;;) {
    const shown = await shownIn(thread, views);
    if (shown.length === 0) return layers.toReversed().flat();
    for (const { id } of shown) await store.expand(threadId, id, signal && { signal });
    layers.push(shown);
  }
}

async function shownIn(
  { store, threadId, signal }: LayeredThread,
  views: readonly HistoryView[],
): Promise<readonly SummaryEntry[]> {
  const shown: SummaryEntry[] = [];
  for (const view of views) {
    const query = { clauses: [{ standsInView: true }], view } as const;
    const { entries } = await store.read(threadId, { query, ...(signal && { signal }) });
    for (const entry of entries) {
      if (entry.type === "summary" && entry.view === view) shown.push(entry);
    }
  }
  return shown;
}

function viewsOf(log: readonly HistoryEntry[]): readonly HistoryView[] {
  const agents = log.flatMap(({ agent }) => (agent === undefined ? [] : [agentView(agent.id)]));
  return ["thread", "conversation", ...new Set(agents)];
}
