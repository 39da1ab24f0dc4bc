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
 * memories, summaries and system messages may stand between) belong to one; in a log without user messages a `task` begins one, unless an agent
 * gave it. What came before the first request is a turn of its own, but for system messages, memories and summaries. A turn that began without an id takes the first id that is seen within it.
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
  const hasUserMessages = entries.some((entry) => entry.type === "user_message");
  const numberOfId = new Map<string, number>();
  let newest = { number: 0, id: undefined as string | undefined, begun: false };
  let inRow = false;

  return entries.map((entry) => {
    const begins = hasUserMessages
      ? entry.type === "user_message"
      : entry.type === "task" && entry.from === undefined && entry.taskId === undefined;
    const known = entry.turnId === undefined ? undefined : numberOfId.get(entry.turnId);
    if (known !== undefined && known !== newest.number) return known;
    if (isNewTurn(entry, { begins, inRow, known, newest })) {
      newest = { number: newest.number + 1, id: undefined, begun: false };
    }
    if (entry.turnId !== undefined) {
      numberOfId.set(entry.turnId, newest.number);
      newest.id ??= entry.turnId;
    }
    newest.begun ||= !standsBesideMessages(entry);
    inRow = entry.type === "user_message" || (inRow && standsBesideMessages(entry));
    return newest.number;
  });
}

function isNewTurn(
  entry: HistoryEntry,
  state: {
    readonly begins: boolean;
    readonly inRow: boolean;
    readonly known: number | undefined;
    readonly newest: { readonly id: string | undefined; readonly begun: boolean };
  },
): boolean {
  const { begins, inRow, known, newest } = state;
  if (entry.turnId === undefined) return begins && newest.begun && !inRow;
  if (known !== undefined) return false;
  return newest.id !== undefined || (begins && newest.begun && !inRow);
}

function standsBesideMessages(entry: HistoryEntry): boolean {
  switch (entry.type) {
    case "attachment":
    case "system_message":
    case "memory":
    case "summary":
      return true;
    default:
      return false;
  }
}
