import { groupExchanges } from "./group-exchanges.ts";
import type { Exchange, SingleEntry } from "./group-exchanges.ts";
import type { HistoryEntry } from "./history-entry.ts";
import { sameJson } from "./internal/same-json.ts";
import type { ActionEntry, ObservationEntry, ToolCall } from "./trace-entries.ts";

/** One thing that was mended, and where. */
export interface Repair {
  /**
   * - `dropped-duplicate` the same entry stood there twice
   * - `renamed-duplicate` another entry bore an id that was taken; it has a new one
   * - `dropped-orphan` a result that answers no call
   * - `added-result` a call without a result was given one that says so
   * - `drawn-together` results were moved to their action
   * - `named-calls` calls without an id were given one, and so were their results
   */
  readonly kind:
    | "dropped-duplicate"
    | "renamed-duplicate"
    | "dropped-orphan"
    | "added-result"
    | "drawn-together"
    | "named-calls";
  /** The entry it was done to; for an added result, its new id. */
  readonly entryId: string;
}

/**
 * Mends what is broken in a history, so that it passes `checkHistory` but for citation numbers, and says what it did. A sound history is
 * returned by identity; mending twice is mending once. Linear.
 *
 * A result that was lost is replaced by a synthetic `observation` with outcome `error`, whose id comes from action and
 * call; the calls of an agent's last action are left open while it runs. A citation number that stands for two
 * sources is not mended: numbers never change.
 */
export function mendHistory(entries: readonly HistoryEntry[]): {
  readonly entries: readonly HistoryEntry[];
  readonly repairs: readonly Repair[];
} {
  const repairs: Repair[] = [];
  const ids = freeIds(entries);
  const unique = mendDuplicates(entries, ids, repairs);
  const places = new Map(unique.map((entry, index) => [entry, index]));
  const mended: HistoryEntry[] = [];
  for (const found of groupExchanges(unique)) {
    const group = found.kind === "exchange" ? nameCalls(found, repairs) : found;
    if (group.kind === "exchange") {
      if (isScattered(found, places)) {
        repairs.push({ kind: "drawn-together", entryId: group.action.id });
      }
      mended.push(group.action, ...group.observations, ...lostResults(group, ids, repairs));
    } else if (group.entry.type === "observation") {
      repairs.push({ kind: "dropped-orphan", entryId: group.entry.id });
    } else {
      mended.push(group.entry);
    }
  }
  return { entries: repairs.length === 0 ? entries : mended, repairs };
}

function mendDuplicates(
  entries: readonly HistoryEntry[],
  ids: FreeIds,
  repairs: Repair[],
): readonly HistoryEntry[] {
  const byId = new Map(entries.toReversed().map((entry) => [entry.id, entry]));
  if (byId.size === entries.length) return entries;
  const seen = new Set<string>();
  return entries.flatMap((entry) => {
    if (!seen.has(entry.id)) {
      seen.add(entry.id);
      return [entry];
    }
    if (sameJson(entry, byId.get(entry.id))) {
      repairs.push({ kind: "dropped-duplicate", entryId: entry.id });
      return [];
    }
    const renamed = { ...entry, id: ids.give(entry.id) };
    repairs.push({ kind: "renamed-duplicate", entryId: renamed.id });
    return [renamed];
  });
}

function isScattered(
  group: Exchange | SingleEntry,
  places: ReadonlyMap<HistoryEntry, number>,
): boolean {
  if (group.kind === "single") return false;
  const start = (places.get(group.action) ?? 0) + 1;
  return group.observations.some((entry, offset) => places.get(entry) !== start + offset);
}

/** Gives calls without an id one that comes from action and call, and their results the same. */
function nameCalls(exchange: Exchange, repairs: Repair[]): Exchange {
  const { action, observations } = exchange;
  if (action.toolCalls.every(({ id }) => id !== "")) return exchange;
  repairs.push({ kind: "named-calls", entryId: action.id });
  const named: string[] = [];
  const toolCalls = action.toolCalls.map((call, index) => {
    if (call.id !== "") return call;
    const id = `${action.id}/${index}`;
    named.push(id);
    return { ...call, id };
  });
  // Results without an id answer the calls without one in order.
  const results = observations.map((entry) =>
    entry.callId === "" ? { ...entry, callId: named.shift() ?? "" } : entry,
  );
  const unanswered = toolCalls.filter(({ id }) => !results.some(({ callId }) => callId === id));
  return { ...exchange, action: { ...action, toolCalls }, observations: results, unanswered };
}

/** The results that must be added: none while the exchange runs. */
function lostResults(
  { action, unanswered, running }: Exchange,
  ids: FreeIds,
  repairs: Repair[],
): readonly ObservationEntry[] {
  if (running) return [];
  return unanswered.map((call) => {
    const id = ids.give(`${action.id}/${action.toolCalls.indexOf(call)}/lost`);
    repairs.push({ kind: "added-result", entryId: id });
    return lostResult(action, call, id);
  });
}

function lostResult(action: ActionEntry, call: ToolCall, id: string): ObservationEntry {
  const { createdAtMs, turnId, phaseId, taskId, agent } = action;
  return {
    type: "observation",
    id,
    createdAtMs,
    ...(turnId === undefined ? {} : { turnId }),
    ...(phaseId === undefined ? {} : { phaseId }),
    ...(taskId === undefined ? {} : { taskId }),
    ...(agent === undefined ? {} : { agent }),
    callId: call.id,
    toolName: call.name,
    outcome: "error",
    actionId: action.id,
    content: "No result of this call was recorded.",
  };
}

/** Gives ids that nobody bears: the wished one, or that with a number. */
interface FreeIds {
  readonly give: (wished: string) => string;
}

function freeIds(entries: readonly HistoryEntry[]): FreeIds {
  const taken = new Set(entries.map(({ id }) => id));
  const nextSuffix = new Map<string, number>();
  return {
    give: (wished) => {
      let suffix = nextSuffix.get(wished) ?? 2;
      let id = wished;
      while (taken.has(id)) id = `${wished}#${suffix++}`;
      taken.add(id);
      nextSuffix.set(wished, suffix);
      return id;
    },
  };
}
