import type { ActionEntry, HistoryEntry, ObservationEntry } from "@agent-history/core";

/** An action with all its results, as they follow each other in their agent's own order. */
export interface SoundExchange {
  readonly agentId: string | undefined;
  readonly action: Located<ActionEntry>;
  readonly results: readonly Located<ObservationEntry>[];
  /** The next exchange of the same agent, where nothing broken lies between. */
  readonly next?: SoundExchange;
  /** Its agent has acted or handed something up since, or the user has spoken. */
  readonly isPast: boolean;
}

/** An entry and where it stands in the log. */
export interface Located<Entry extends HistoryEntry> {
  readonly entry: Entry;
  readonly index: number;
}

/** Finds the exchanges of a log that are valid, also where others are broken. */
export function soundExchanges(entries: readonly HistoryEntry[]): readonly SoundExchange[] {
  const lanes = new Map<string | undefined, Located<HistoryEntry>[]>();
  for (const [index, entry] of entries.entries()) {
    const lane = lanes.get(entry.agent?.id) ?? [];
    lane.push({ entry, index });
    lanes.set(entry.agent?.id, lane);
  }
  const lastAsk = entries.findLastIndex((entry) => entry.type === "user_message");
  return [...lanes].flatMap(([agentId, lane]) => soundExchangesOf(agentId, lane, lastAsk));
}

function soundExchangesOf(
  agentId: string | undefined,
  lane: readonly Located<HistoryEntry>[],
  lastAsk: number,
): readonly SoundExchange[] {
  const found: SoundExchange[] = [];
  let next: SoundExchange | undefined;
  let isPast = false;
  let following: Located<ObservationEntry>[] = [];
  for (const { entry, index } of lane.toReversed()) {
    if (entry.type === "observation") {
      following.unshift({ entry, index });
      continue;
    }
    if (entry.type === "action" && answersAll(entry, following)) {
      const results = following;
      const exchange = {
        agentId,
        action: { entry, index },
        results,
        isPast: isPast || index < lastAsk,
      };
      next = next === undefined ? exchange : { ...exchange, next };
      found.push(next);
    } else if (entry.type === "action" || following.length > 0) {
      next = undefined;
    }
    isPast ||= GOES_ON.has(entry.type);
    following = [];
  }
  return found.toReversed();
}

const GOES_ON: ReadonlySet<string> = new Set(["action", "assistant_message", "final", "synthesis"]);

function answersAll(action: ActionEntry, results: readonly Located<ObservationEntry>[]): boolean {
  const answered = new Set(results.map(({ entry }) => entry.callId));
  return (
    results.length === action.toolCalls.length &&
    action.toolCalls.every((call) => answered.has(call.id))
  );
}
