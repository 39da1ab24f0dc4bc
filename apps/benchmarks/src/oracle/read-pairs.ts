import type { HistoryEntry } from "@agent-history/core";

/** Which result answers which action, and what answers nothing. */
export interface Pairs {
  /** The action that an observation answers. */
  readonly actionOf: ReadonlyMap<HistoryEntry, HistoryEntry>;
  /** The observations that answer an action, in their order. */
  readonly resultsOf: ReadonlyMap<HistoryEntry, readonly HistoryEntry[]>;
  /** Actions that still have calls without a result. */
  readonly open: ReadonlySet<HistoryEntry>;
  /** Actions after which their agent has written nothing else, and no user has asked anything. */
  readonly running: ReadonlySet<HistoryEntry>;
}

interface OpenAction {
  readonly entry: HistoryEntry;
  readonly calls: string[];
}

/** What an agent writes when it has read its results. */
const GOES_ON = new Set(["assistant_message", "final", "synthesis", "task", "action"]);

/** Pairs calls with results by agent, position and id, the newest open call first; a named action is answered by name only. */
export function readPairs(entries: readonly HistoryEntry[]): Pairs {
  const actionOf = new Map<HistoryEntry, HistoryEntry>();
  const resultsOf = new Map<HistoryEntry, HistoryEntry[]>();
  const open: OpenAction[] = [];
  const running = new Set<HistoryEntry>();
  for (const entry of entries) {
    if (entry.type === "observation") {
      const found = open.findLast((action) => answers(entry, action));
      if (found === undefined) continue;
      found.calls.splice(found.calls.indexOf(entry.callId), 1);
      actionOf.set(entry, found.entry);
      resultsOf.set(found.entry, [...(resultsOf.get(found.entry) ?? []), entry]);
      continue;
    }
    if (entry.type === "user_message") running.clear();
    if (GOES_ON.has(entry.type)) endRun(running, entry.agent?.id);
    if (entry.type !== "action") continue;
    open.push({ entry, calls: entry.toolCalls.map(({ id }) => id) });
    running.add(entry);
  }
  const waiting = open.filter(({ calls }) => calls.length > 0).map(({ entry }) => entry);
  return { actionOf, resultsOf, open: new Set(waiting), running };
}

function endRun(running: Set<HistoryEntry>, agentId: string | undefined): void {
  for (const action of running) if (action.agent?.id === agentId) running.delete(action);
}

function answers(
  result: Extract<HistoryEntry, { readonly type: "observation" }>,
  { entry, calls }: OpenAction,
): boolean {
  if (!calls.includes(result.callId)) return false;
  if (result.actionId !== undefined) return entry.id === result.actionId;
  return entry.agent?.id === result.agent?.id;
}
