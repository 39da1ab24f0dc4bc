import { findQuestion, groupExchanges, messageRole, repairHistory } from "@agent-history/core";
import type { HistoryEntry, MessageRole, Viewer } from "@agent-history/core";

/** One turn: what was asked, and what was said last. */
export interface ReadTurn {
  readonly entries: readonly HistoryEntry[];
  readonly requests: readonly HistoryEntry[];
  /** The requests and the last answer. */
  readonly pair: readonly HistoryEntry[];
}

/** A history as it is once it is repaired, in turns. */
export interface HistoryReading {
  readonly sound: readonly HistoryEntry[];
  readonly indexOf: ReadonlyMap<string, number>;
  readonly turns: readonly ReadTurn[];
  /** No turn is named in two places. */
  readonly isClear: boolean;
  readonly turnOf: ReadonlyMap<HistoryEntry, ReadTurn>;
  readonly question: HistoryEntry | undefined;
  /** The exchange that each of its entries belongs to. */
  readonly membersOf: ReadonlyMap<HistoryEntry, readonly HistoryEntry[]>;
  /** Entries of exchanges that still run. */
  readonly running: ReadonlySet<HistoryEntry>;
  /** Pinned entries, with their whole exchange. */
  readonly pinned: ReadonlySet<HistoryEntry>;
  readonly roleOf: (entry: HistoryEntry) => MessageRole;
}

/** Reads a history with the functions of core that every reader of histories has. */
export function readTurns(given: readonly HistoryEntry[], viewer: Viewer): HistoryReading {
  const { entries: sound } = repairHistory(given);
  const hasUser = sound.some(({ type }) => type === "user_message");
  const isRequest = (entry: HistoryEntry): boolean =>
    hasUser
      ? entry.type === "user_message"
      : entry.type === "task" &&
        (viewer.agentId === undefined
          ? entry.from === undefined
          : entry.agent.id === viewer.agentId);
  const roleOf = (entry: HistoryEntry): MessageRole => messageRole(entry, viewer);
  const turns = turnsOf(sound, isRequest).map((entries): ReadTurn => {
    const requests = entries.filter(isRequest);
    const answer = entries.findLast((one) => ANSWERS.has(one.type) && roleOf(one) === "assistant");
    return { entries, requests, pair: [...requests, ...(answer ? [answer] : [])] };
  });
  const names = turns.flatMap(({ entries }) => [
    ...new Set(entries.flatMap(({ turnId = [] }) => turnId)),
  ]);
  const groups = groupExchanges(sound).flatMap((one) => (one.kind === "exchange" ? [one] : []));
  const membersOf = new Map<HistoryEntry, readonly HistoryEntry[]>(
    groups.flatMap(({ entries }) => entries.map((one) => [one, entries])),
  );
  return {
    sound,
    indexOf: new Map(sound.map(({ id }, index) => [id, index])),
    turns,
    isClear: names.length === new Set(names).size,
    turnOf: new Map(turns.flatMap((turn) => turn.entries.map((entry) => [entry, turn]))),
    question: findQuestion(sound, viewer),
    membersOf,
    running: new Set(groups.filter(({ running }) => running).flatMap(({ entries }) => entries)),
    pinned: new Set(
      sound.filter(({ pinned }) => pinned).flatMap((one) => membersOf.get(one) ?? [one]),
    ),
    roleOf,
  };
}

/** By their places alone: requests in a row are one, whatever turns they name. */
function turnsOf(
  sound: readonly HistoryEntry[],
  isRequest: (entry: HistoryEntry) => boolean,
): readonly (readonly HistoryEntry[])[] {
  const turns: HistoryEntry[][] = [[]];
  let isInRow = false;
  for (const entry of sound) {
    if (isRequest(entry) && !isInRow) turns.push([]);
    turns.at(-1)?.push(entry);
    isInRow = isRequest(entry) || (isInRow && (isAside(entry) || entry.type === "attachment"));
  }
  return turns;
}

const ANSWERS: ReadonlySet<string> = new Set(["assistant_message", "final", "synthesis"]);

/** What belongs to no turn. */
export function isAside({ type }: HistoryEntry): boolean {
  return type === "system_message" || type === "summary" || type === "memory";
}
