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
  const groups = entries.map((entry, index) => {
    if (entry.type !== "action") return { kind: "single" as const, entry };
    const observations: ObservationEntry[] = [];
    const unanswered = entry.toolCalls.filter(
      (_, call) => answers.get(index)?.[call] === undefined,
    );
    const kind = "exchange" as const;
    return { kind, action: entry, observations, unanswered, running: running.has(index) };
  });
  for (const [index, action] of actionOf) {
    const group = groups[action];
    const entry = entries[index];
    if (group?.kind === "exchange" && entry?.type === "observation") group.observations.push(entry);
  }
  return groups.filter((_, index) => !actionOf.has(index));
}
