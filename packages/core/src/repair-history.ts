import { groupExchanges, pairCalls } from "./group-exchanges.ts";
import type { Exchange, Pairing, ToolRound } from "./group-exchanges.ts";
import type { ActionEntry, HistoryEntry, ObservationEntry, ToolCall } from "./history-entry.ts";
import { overReadable } from "./over-readable.ts";
import { sameJson } from "./same-json.ts";

/** One repair, and where it was made. */
export interface Repair {
  /**
   * - `dropped-duplicate` the same entry was there twice
   * - `renamed-duplicate` another entry had the same id; it got a new one
   * - `dropped-orphan` a result that answers no call
   * - `added-result` a call without a result got one that says so
   * - `drawn-together` results were moved to their action
   * - `named-calls` calls without an id, and their results, got one
   * - `format` the target format, not `repairHistory`, changed what its provider would refuse; `rule` says what
   */
  readonly kind:
    | "dropped-duplicate"
    | "renamed-duplicate"
    | "dropped-orphan"
    | "added-result"
    | "drawn-together"
    | "named-calls"
    | "format";
  /** The wire rule of the target format. */
  readonly rule?: string;
  /** The repaired entry; for an added result, its new id. */
  readonly entryId: string;
}

/**
 * Repairs a broken history so that it passes `checkHistory`, except for citation numbers, and lists each repair. A valid history is
 * returned by identity; repairing twice is repairing once. Linear.
 *
 * A lost result is replaced by a synthetic `observation` with outcome `error`, directly after its action, with an id derived from action and
 * call. The calls of an agent's last action stay open while it runs. A citation number with two
 * sources is not repaired, because numbers never change.
 */
export function repairHistory(entries: readonly HistoryEntry[]): {
  readonly entries: readonly HistoryEntry[];
  readonly repairs: readonly Repair[];
} {
  return overReadable(entries, repairReadable);
}

function repairReadable(entries: readonly HistoryEntry[]): ReturnType<typeof repairHistory> {
  const repairs: Repair[] = [];
  const repair = (kind: Repair["kind"], entryId: string): void => {
    repairs.push({ kind, entryId });
  };
  const unique = dropCopies(entries, repair);
  const rename = renamer(unique, repair);
  const indexes = new Map(unique.map((entry, index) => [entry, index]));
  const repaired = groupExchanges(unique).flatMap((group): readonly HistoryEntry[] => {
    if (group.kind === "exchange") return repairExchange(group, { indexes, rename, repair });
    if (group.entry.type !== "observation") return [rename(group.entry)];
    repair("dropped-orphan", group.entry.id);
    return [];
  });
  return { entries: repairs.length === 0 ? entries : repaired, repairs };
}

interface Repairing {
  readonly indexes: ReadonlyMap<HistoryEntry, number>;
  /** Returns an unused id for an entry. */
  readonly rename: <Entry extends HistoryEntry>(entry: Entry) => Entry;
  readonly repair: (kind: Repair["kind"], entryId: string) => void;
}

/** Keeps the first of equal copies; of a result, the first that answers a call. */
function dropCopies(
  entries: readonly HistoryEntry[],
  repair: Repairing["repair"],
): readonly HistoryEntry[] {
  const kept = new Map<string, number>();
  const dropped = new Set<number>();
  let answers: Pairing["actionOf"] | undefined;
  for (const [index, entry] of entries.entries()) {
    const first = kept.get(entry.id);
    if (first === undefined) kept.set(entry.id, index);
    if (first === undefined || !sameJson(entries[first], entry)) continue;
    answers ??= pairCalls(entries).actionOf;
    const isFirstAnswer = answers.has(index) && !answers.has(first);
    dropped.add(isFirstAnswer ? first : index);
    if (isFirstAnswer) kept.set(entry.id, index);
  }
  if (dropped.size === 0) return entries;
  return entries.filter((entry, index) => {
    if (dropped.has(index)) repair("dropped-duplicate", entry.id);
    return !dropped.has(index);
  });
}

function renamer(
  entries: readonly HistoryEntry[],
  repair: Repairing["repair"],
): Repairing["rename"] {
  const taken = new Set(entries.map(({ id }) => id));
  const given = new Set<string>();
  // One counter for all ids, so that a thousand copies cost a thousand tries.
  let suffix = 1;
  return (entry) => {
    let { id } = entry;
    while (given.has(id) || (id !== entry.id && taken.has(id))) {
      id = `${entry.id}#${(suffix += 1)}`;
    }
    given.add(id);
    if (id === entry.id) return entry;
    repair("renamed-duplicate", id);
    return { ...entry, id };
  };
}

function repairExchange(exchange: Exchange, repairing: Repairing): readonly HistoryEntry[] {
  const { rounds } = exchange;
  const { indexes, repair } = repairing;
  const start = indexes.get(exchange.action) ?? 0;
  if (exchange.entries.some((entry, offset) => indexes.get(entry) !== start + offset)) {
    repair("drawn-together", exchange.action.id);
  }
  const repaired = new Map<HistoryEntry, readonly HistoryEntry[]>();
  for (const round of rounds) repairRound(round, repaired, repairing);
  const whole = exchange.entries.flatMap(
    (entry): readonly HistoryEntry[] => repaired.get(entry) ?? [entry],
  );
  if (rounds.every(({ lost }) => lost.length === 0)) return whole;
  // An added result of a call that had made calls follows their results too.
  return groupExchanges(whole).flatMap((group): readonly HistoryEntry[] =>
    group.kind === "exchange" ? group.entries : [group.entry],
  );
}

/**
 * Repairs one action and its results. Added results come first: the result of a call that had made calls follows
 * theirs.
 */
function repairRound(
  round: ToolRound,
  repaired: Map<HistoryEntry, readonly HistoryEntry[]>,
  { rename, repair }: Repairing,
): void {
  const action = rename(round.action);
  const { id: actionId, toolCalls } = action;
  const named = toolCalls.map((call, index) =>
    call.id === "" ? { ...call, id: `${actionId}/${index}` } : call,
  );
  const names = named.filter((call, index) => call !== toolCalls[index]).map(({ id }) => id);
  const isNamed = names.length > 0;
  if (isNamed) repair("named-calls", actionId);
  let unnamed = 0;
  for (const entry of round.observations) {
    const renamed = rename(entry);
    const isOfRenamed = action !== round.action && entry.actionId !== undefined;
    const owned = isOfRenamed ? { ...renamed, actionId } : renamed;
    // Results without an id answer the calls without one in order.
    const callId = entry.callId === "" ? (names[unnamed++] ?? "") : entry.callId;
    repaired.set(entry, [callId === entry.callId ? owned : { ...owned, callId }]);
  }
  const lost = new Set(round.lost);
  const added = named.flatMap((call, index) => {
    const given = toolCalls[index];
    if (given === undefined || !lost.has(given)) return [];
    const result = rename(lostResult(action, call, `${actionId}/${index}/lost`));
    repair("added-result", result.id);
    return [result];
  });
  repaired.set(round.action, [isNamed ? { ...action, toolCalls: named } : action, ...added]);
}

function lostResult(action: ActionEntry, call: ToolCall, id: string): ObservationEntry {
  const { content, toolCalls, origin, pinned, metadata, ...marks } = action;
  return {
    ...marks,
    type: "observation",
    id,
    callId: call.id,
    toolName: call.name,
    outcome: "error",
    actionId: action.id,
    content: "No result of this call was recorded.",
  };
}
