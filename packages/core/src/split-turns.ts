import type { HistoryEntry } from "./history-entry.ts";

/** Everything from one user request until the next. */
export interface Turn {
  /** The `turnId` of its entries, where they bear one. */
  readonly id?: string;
  /** In the order of the log. */
  readonly entries: readonly HistoryEntry[];
}

/**
 * Splits a history into turns; every entry is in exactly one. Linear.
 *
 * `turnId` says which turn. Where it is missing, a user message begins a turn, and user messages in a row (attachments,
 * memories, summaries and system messages may stand between) belong to one; in a log without user messages a `task` begins one, unless an
 * agent gave it or another agent was given the first: agents side by side share a turn. What came before the first request is a turn of its own, but for system messages, memories and summaries. A turn that began without an id takes the first id that is seen within it.
 */
export function splitTurns(entries: readonly HistoryEntry[]): readonly Turn[] {
  const turns: { id?: string; entries: HistoryEntry[] }[] = [];
  const numbers = numberTurns(entries);
  for (const [index, entry] of entries.entries()) {
    const turn = (turns[numbers[index] ?? 0] ??= { entries: [] });
    if (entry.turnId !== undefined) turn.id ??= entry.turnId;
    turn.entries.push(entry);
  }
  return turns;
}

/** Gives the number of each entry's turn, from 0. */
export function numberTurns(entries: readonly HistoryEntry[]): readonly number[] {
  const hasUserMessages = entries.some(({ type }) => type === "user_message");
  const numbers = new Map<string | undefined, number>();
  let newest = 0;
  let firstAgent: string | undefined;
  let id: string | undefined;
  let isBegun = false;
  let isInRow = false;

  return entries.map((entry) => {
    const { type, turnId } = entry;
    const begins = hasUserMessages
      ? type === "user_message"
      : type === "task" &&
        entry.from === undefined &&
        entry.taskId === undefined &&
        (firstAgent ??= entry.agent?.id) === entry.agent?.id;
    const known = numbers.get(turnId);
    if (known !== undefined && known !== newest) return known;
    const isOther = turnId !== undefined && id !== undefined;
    if (known === undefined && (isOther || (begins && isBegun && !isInRow))) {
      newest += 1;
      id = undefined;
      isBegun = false;
    }
    if (turnId !== undefined) {
      id = turnId;
      numbers.set(id, newest);
    }
    const stands = BESIDE_MESSAGES.has(type);
    isBegun ||= !stands;
    isInRow = type === "user_message" || (isInRow && stands);
    return newest;
  });
}

/** What may stand before and between the messages of one request. */
const BESIDE_MESSAGES: ReadonlySet<string> = new Set([
  "attachment",
  "system_message",
  "memory",
  "summary",
]);
