import { groupExchanges } from "./group-exchanges.ts";
import type { Exchange } from "./group-exchanges.ts";
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
  const repair = (kind: Repair["kind"], entryId: string): void => {
    repairs.push({ kind, entryId });
  };
  const freeId = freeIds(entries);
  const unique = mendDuplicates(entries, freeId, repair);
  const places = new Map(unique.map((entry, place) => [entry, place]));
  const mended = groupExchanges(unique).flatMap((group): readonly HistoryEntry[] => {
    if (group.kind === "exchange") return mendExchange(group, { places, freeId, repair });
    if (group.entry.type !== "observation") return [group.entry];
    repair("dropped-orphan", group.entry.id);
    return [];
  });
  return { entries: repairs.length === 0 ? entries : mended, repairs };
}

interface Mending {
  readonly places: ReadonlyMap<HistoryEntry, number>;
  readonly freeId: (wished: string) => string;
  readonly repair: (kind: Repair["kind"], entryId: string) => void;
}

function mendDuplicates(
  entries: readonly HistoryEntry[],
  freeId: Mending["freeId"],
  repair: Mending["repair"],
): readonly HistoryEntry[] {
  const firsts = new Map(entries.toReversed().map((entry) => [entry.id, entry]));
  if (firsts.size === entries.length) return entries;
  const seen = new Set<string>();
  return entries.flatMap((entry) => {
    const { id } = entry;
    const first = firsts.get(id);
    if (entry === first && !seen.has(id)) {
      seen.add(id);
      return [entry];
    }
    if (sameJson(entry, first)) {
      repair("dropped-duplicate", id);
      return [];
    }
    const renamed = { ...entry, id: freeId(id) };
    repair("renamed-duplicate", renamed.id);
    return [renamed];
  });
}

function mendExchange(
  { action, observations, unanswered, running }: Exchange,
  { places, freeId, repair }: Mending,
): readonly HistoryEntry[] {
  const { id: actionId, toolCalls } = action;
  const start = (places.get(action) ?? 0) + 1;
  if (observations.some((entry, offset) => places.get(entry) !== start + offset)) {
    repair("drawn-together", actionId);
  }
  const named = toolCalls.map((call, index) =>
    call.id === "" ? { ...call, id: `${actionId}/${index}` } : call,
  );
  const names = named.filter((call, index) => call !== toolCalls[index]).map(({ id }) => id);
  const isNamed = names.length === 0;
  if (!isNamed) repair("named-calls", actionId);
  // Results without an id answer the calls without one in order.
  const results = observations.map((entry) =>
    entry.callId === "" ? { ...entry, callId: names.shift() ?? "" } : entry,
  );
  const lost = running ? [] : unanswered.map((call) => toolCalls.indexOf(call));
  return [
    named.some((call, index) => call !== toolCalls[index])
      ? { ...action, toolCalls: named }
      : action,
    ...results,
    ...lost.flatMap((index) => {
      const id = freeId(`${actionId}/${index}/lost`);
      repair("added-result", id);
      return lostResult(action, named[index], id);
    }),
  ];
}

function lostResult(
  { id: actionId, createdAtMs, turnId, phaseId, taskId, agent }: ActionEntry,
  call: ToolCall | undefined,
  id: string,
): ObservationEntry {
  return {
    type: "observation",
    id,
    createdAtMs,
    ...(turnId === undefined ? {} : { turnId }),
    ...(phaseId === undefined ? {} : { phaseId }),
    ...(taskId === undefined ? {} : { taskId }),
    ...(agent === undefined ? {} : { agent }),
    callId: call?.id ?? "",
    toolName: call?.name ?? "",
    outcome: "error",
    actionId,
    content: "No result of this call was recorded.",
  };
}

/** Gives ids that nobody bears: the wished one, or that with a number. */
function freeIds(entries: readonly HistoryEntry[]): Mending["freeId"] {
  const taken = new Set(entries.map(({ id }) => id));
  // One counter for all, so that a thousand copies of one id cost a thousand tries.
  let suffix = 1;
  return (wished) => {
    let id = wished;
    while (taken.has(id)) id = `${wished}#${(suffix += 1)}`;
    taken.add(id);
    return id;
  };
}
