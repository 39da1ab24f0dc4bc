import { SUMMARY, agentView } from "@agent-history/core";
import type { HistoryEntry, HistoryQuery, HistoryView } from "@agent-history/core";
import type { CallOptions, HistoryManager } from "@agent-history/history-manager";

/** What became of the summaries of a thread. */
export interface ExpansionRecord {
  /** How many were undone, layers upon layers included. */
  readonly summaries: number;
  /** How many entries are shown again. */
  readonly entries: number;
  /** Whether each view shows its originals again, to the byte. */
  readonly isWhole: boolean;
}

/** Undoes every summary of a thread, layer by layer, and compares each view with the log as it was written. */
export async function expandSummaries(
  manager: HistoryManager,
  options: CallOptions = {},
): Promise<ExpansionRecord> {
  const { entries: log } = await manager.read({ clauses: [{}] }, { originals: true, ...options });
  const views = viewsOf(log);
  let summaries = 0;
  let entries = 0;
  let isWhole = true;
  for (const view of views) {
    const before = await readView(manager, view, options);
    const taken = await expandView(manager, view, options);
    if (taken === 0) continue;
    const after = await readView(manager, view, options);
    summaries += taken;
    entries += newIn(after, before);
    const originals = await manager.read({ clauses: [{}], view }, { originals: true, ...options });
    isWhole &&= JSON.stringify(after) === JSON.stringify(originals.entries);
  }
  return { summaries, entries, isWhole };
}

function viewsOf(log: readonly HistoryEntry[]): readonly HistoryView[] {
  const agents = new Set(log.flatMap(({ agent }) => (agent === undefined ? [] : [agent.id])));
  return ["conversation", ...[...agents].map(agentView)];
}

/** Below a summary there may be an earlier one. */
async function expandView(
  manager: HistoryManager,
  view: HistoryView,
  options: CallOptions,
): Promise<number> {
  for (let taken = 0; ;) {
    const query: HistoryQuery = { clauses: [{ types: [SUMMARY] }], view };
    const { entries } = await manager.read(query, options);
    const standing = entries.filter((entry) => entry.type === SUMMARY && entry.view === view);
    if (standing.length === 0) return taken;
    for (const { id } of standing) await manager.expand(id, options);
    taken += standing.length;
  }
}

async function readView(
  manager: HistoryManager,
  view: HistoryView,
  options: CallOptions,
): Promise<readonly HistoryEntry[]> {
  return (await manager.read({ clauses: [{}], view }, options)).entries;
}

function newIn(after: readonly HistoryEntry[], before: readonly HistoryEntry[]): number {
  const known = new Set(before.map(({ id }) => id));
  return after.filter(({ id }) => !known.has(id)).length;
}
