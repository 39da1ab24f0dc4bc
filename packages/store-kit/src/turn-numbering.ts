import type { EntryTypeName, HistoryEntry } from "@agent-history/core";

/** How far the numbering of turns has come, for the entries so far. */
export interface TurnPlace {
  /** The number of the newest turn. */
  newest: number;
  /** Whose tasks begin turns, in a log without user messages. */
  firstAgent?: string | undefined;
  /** The id of the newest turn. */
  id?: string | undefined;
  /** Something of the newest turn stands already, beside what may precede a request. */
  isBegun: boolean;
  /** The user spoke last. */
  isInRow: boolean;
}

/** What the numbering asks of an entry. */
export interface TurnEntry extends Pick<HistoryEntry, "turnId" | "taskId"> {
  readonly type: EntryTypeName;
  readonly agent?: { readonly id: string };
  readonly from?: unknown;
}

/** Begins the numbering of an empty thread. */
export function newTurnPlace(): TurnPlace {
  return { newest: 0, isBegun: false, isInRow: false };
}

/**
 * Returns the number of the turn of the next entry, as `numberTurns` does for a whole history, and moves `place` on. (The root
 * entry's function numbers a whole history and is kept small; a test holds both to the same.)
 *
 * @param known - The number of the turn of its `turnId`, where one was seen before.
 */
export function nextTurn(
  entry: TurnEntry,
  place: TurnPlace,
  known: number | undefined,
  hasUserMessages: boolean,
): number {
  const { type, turnId } = entry;
  const begins = hasUserMessages ? type === "user_message" : beginsByTask(entry, place);
  if (known !== undefined && known !== place.newest) return known;
  const isOther = turnId !== undefined && place.id !== undefined;
  if (known === undefined && (isOther || (begins && place.isBegun && !place.isInRow))) {
    place.newest += 1;
    place.id = undefined;
    place.isBegun = false;
  }
  if (turnId !== undefined) place.id = turnId;
  const isBeside = BESIDE_MESSAGES.has(type);
  place.isBegun ||= !isBeside;
  place.isInRow = type === "user_message" || (place.isInRow && isBeside);
  return place.newest;
}

function beginsByTask(entry: TurnEntry, place: TurnPlace): boolean {
  return (
    entry.type === "task" &&
    entry.from === undefined &&
    entry.taskId === undefined &&
    (place.firstAgent ??= entry.agent?.id) === entry.agent?.id
  );
}

/** What may stand before and between the messages of one request: it neither begins nor ends a turn. */
export const BESIDE_MESSAGES: ReadonlySet<string> = new Set([
  "attachment",
  "system_message",
  "memory",
  "summary",
]);
