import type { HistoryEntry, ObservationEntry } from "@agent-history/core";

import type { Breakage } from "../breakage.ts";
import type { SoundExchange } from "./sound-exchanges.ts";

/** A breakage of one exchange; `undefined` where it is not one that can break this way. */
export type ExchangeBreaker = (
  entries: readonly HistoryEntry[],
  exchange: SoundExchange,
  choice: number,
) => readonly HistoryEntry[] | undefined;

/** The breakages that happen to one exchange. */
export const exchangeBreakers: Readonly<Partial<Record<Breakage, ExchangeBreaker>>> = {
  "lost-result": (entries, exchange, choice) =>
    exchange.isPast ? entries.toSpliced(chosen(exchange, choice).index, 1) : undefined,

  "lost-action": (entries, { action }) => entries.toSpliced(action.index, 1),

  "doubled-result": (entries, exchange, choice) => {
    const { entry } = chosen(exchange, choice);
    const copy: ObservationEntry = { ...entry, id: newId(entries), content: "again" };
    return entries.toSpliced(endOf(exchange), 0, copy);
  },

  "result-before-action": (entries, exchange, choice) => {
    const { entry, index } = chosen(exchange, choice);
    return entries.toSpliced(index, 1).toSpliced(exchange.action.index, 0, entry);
  },

  "far-result": (entries, exchange, choice) => {
    if (exchange.next === undefined) return undefined;
    const { entry, index } = chosen(exchange, choice);
    return entries.toSpliced(endOf(exchange.next), 0, entry).toSpliced(index, 1);
  },

  "reused-call-id": (entries, exchange) => {
    const { action, next } = exchange;
    const shared = action.entry.toolCalls[0]?.id;
    if (next === undefined || shared === undefined) return undefined;
    const renamed = renameCall(entries, next, shared);
    const moved = renamed[next.action.index];
    if (moved === undefined) return undefined;
    return renamed.toSpliced(next.action.index, 1).toSpliced(action.index + 1, 0, moved);
  },

  "missing-call-id": (entries, exchange, choice) => {
    const { entry, index } = chosen(exchange, choice);
    const isCallKnown = choice % 2 === 0;
    if (isCallKnown) return entries.with(index, { ...entry, callId: "" });
    return renameCall(entries, exchange, "");
  },

  "shuffled-neighbors": (entries, { action, results }) => {
    const indexes = [action, ...results].map(({ index }) => index);
    const reversed = indexes.toReversed();
    return entries.map((entry, index) => {
      const entryIndex = indexes.indexOf(index);
      return entryIndex === -1 ? entry : (entries[reversed[entryIndex] ?? index] ?? entry);
    });
  },
};

/** Returns an id that no entry has. */
export function newId(entries: readonly HistoryEntry[]): string {
  const taken = new Set(entries.map((entry) => entry.id));
  let count = entries.length;
  while (taken.has(`x${count}`)) count += 1;
  return `x${count}`;
}

/** Returns the index after the last result. */
function endOf({ results, action }: SoundExchange): number {
  return 1 + (results.at(-1) ?? action).index;
}

function chosen({ results }: SoundExchange, choice: number): SoundExchange["results"][number] {
  const result = results[choice % results.length];
  if (result === undefined) throw new Error("Expected an exchange with a result.");
  return result;
}

/** Returns the first call of an exchange, and its result, another id; a call that has this id already makes it needless. */
function renameCall(
  entries: readonly HistoryEntry[],
  { action, results }: SoundExchange,
  id: string,
): readonly HistoryEntry[] {
  const { toolCalls } = action.entry;
  const [first, ...others] = toolCalls;
  if (first === undefined || toolCalls.some((call) => call.id === id)) return entries;
  const renamed = entries.with(action.index, {
    ...action.entry,
    toolCalls: [{ ...first, id }, ...others],
  });
  const result = results.find(({ entry }) => entry.callId === first.id);
  return result === undefined
    ? renamed
    : renamed.with(result.index, { ...result.entry, callId: id });
}
