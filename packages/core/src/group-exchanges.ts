import type { HistoryEntry } from "./history-entry.ts";
import { pairCalls } from "./pair-calls.ts";
import type { ActionEntry, ObservationEntry, ToolCall } from "./trace-entries.ts";

/** An action with every observation that answers it: kept, shrunk, summarised or dropped as one. */
export interface Exchange {
  readonly kind: "exchange";
  readonly action: ActionEntry;
  /** In the order they came. */
  readonly observations: readonly ObservationEntry[];
  /** Calls without a result. */
  readonly unanswered: readonly ToolCall[];
  /** The agent has not gone on since: it waits for results, or has not yet read them. */
  readonly running: boolean;
}

/** An entry that is no part of an exchange; an observation here answers no call. */
export interface SingleEntry {
  readonly kind: "single";
  readonly entry: HistoryEntry;
}

/**
 * Groups each action with the observations that answer it, at the place of the action. Linear.
 *
 * Calls and results are paired by agent, position and id together: an id may be used again, workers may interleave. An
 * observation that bears `actionId` answers that action and no other.
 */
export function groupExchanges(
  entries: readonly HistoryEntry[],
): readonly (Exchange | SingleEntry)[] {
  const { answers, actionOf, running } = pairCalls(entries);
  const observationsOf = new Map<number, ObservationEntry[]>();
  for (const [index, actionIndex] of actionOf) {
    const entry = entries[index];
    if (entry?.type !== "observation") continue;
    const known = observationsOf.get(actionIndex);
    if (known === undefined) observationsOf.set(actionIndex, [entry]);
    else known.push(entry);
  }

  const groups: (Exchange | SingleEntry)[] = [];
  for (const [index, entry] of entries.entries()) {
    if (actionOf.has(index)) continue;
    if (entry.type !== "action") {
      groups.push({ kind: "single", entry });
      continue;
    }
    const slots = answers.get(index) ?? [];
    groups.push({
      kind: "exchange",
      action: entry,
      observations: observationsOf.get(index) ?? [],
      unanswered: entry.toolCalls.filter((_, call) => slots[call] === undefined),
      running: running.has(index),
    });
  }
  return groups;
}
