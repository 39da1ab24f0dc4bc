import type { EntryTypeName, HistoryEntry } from "@agent-history/core";

/** How far the numbering of turns has come, for the entries so far. */
export interface TurnCursor {
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
export function newTurnCursor(): TurnCursor {
  return { newest: 0, isBegun: false, isInRow: false };
}

/**
 * Returns the number of the turn of the next entry, as `numberTurns` does for a whole history, and moves `cursor` on. (The root
 * entry's function numbers a whole history and is kept small; a test holds both to the same.)
 *
 * @param known - The number of the turn of its `turnId`, where one was seen before.
 */
export function nextTurn(
  entry: TurnEntry,
  cursor: TurnCursor,
  known: number | undefined,
  hasUserMessages: boolean,
): number {
  const { type, turnId } = entry;
  const begins = hasUserMessages ? type === "user_message" : beginsByTask(entry, cursor);
  const isBeside = BESIDE_MESSAGES.has(type);
  if (known !== undefined && known !== cursor.newest) {
    cursor.isInRow &&= isBeside || type === "user_message";
    return known;
  }
  const isOther = turnId !== undefined && cursor.id !== undefined;
  if (known === undefined && (isOther || (begins && cursor.isBegun && !cursor.isInRow))) {
    cursor.newest += 1;
    cursor.id = undefined;
    cursor.isBegun = false;
  }
  if (turnId !== undefined) cursor.id = turnId;
  cursor.isBegun ||= !isBeside;
  cursor.isInRow = type === "user_message" || (cursor.isInRow && isBeside);
  return cursor.newest;
}

function beginsByTask(entry: TurnEntry, cursor: TurnCursor): boolean {
  return (
    entry.type === "task" &&
    entry.from === undefined &&
    entry.taskId === undefined &&
    (cursor.firstAgent ??= entry.agent?.id) === entry.agent?.id
  );
}

/** What may stand before and between the messages of one request: it neither begins nor ends a turn. */
export const BESIDE_MESSAGES: ReadonlySet<string> = new Set([
  "attachment",
  "system_message",
  "memory",
  "summary",
]);
