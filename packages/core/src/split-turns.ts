import { isOwnTask } from "./find-question.ts";
import type { HistoryEntry } from "./history-entry.ts";
import type { Viewer } from "./message-role.ts";
import { overReadable } from "./over-readable.ts";

/** Everything from one user request until the next. */
export interface Turn {
  /** The `turnId` of its entries, where they carry one. */
  readonly id?: string;
  /** In the order of the log. */
  readonly entries: readonly HistoryEntry[];
}

/**
 * Splits a history into turns; every entry is in exactly one. Linear.
 *
 * `turnId` says which turn. Where it is missing, a user message begins a turn, and user messages in a row (attachments,
 * memories, summaries and system messages may stand between) belong to one; in a log without user messages a `task` begins one, unless an
 * agent gave it or another agent was given the first: agents side by side share a turn. For a viewer with tasks of its own these begin the turns of such a log. What came before the first request is a turn of its own, but for system messages, memories and summaries. A turn that began without an id takes the first id that is seen within it.
 *
 * @param options - `viewer`: whose prompt is built from the entries.
 */
export function splitTurns(
  entries: readonly HistoryEntry[],
  options: { readonly viewer?: Viewer } = {},
): readonly Turn[] {
  return overReadable(entries, (readable) => splitReadable(readable, options.viewer));
}

function splitReadable(
  entries: readonly HistoryEntry[],
  viewer: Viewer | undefined,
): readonly Turn[] {
  const turns: { id?: string; entries: HistoryEntry[] }[] = [];
  const numbers = numberTurns(entries, viewer);
  for (const [index, entry] of entries.entries()) {
    const turn = (turns[numbers[index] ?? 0] ??= { entries: [] });
    if (entry.turnId !== undefined) turn.id ??= entry.turnId;
    turn.entries.push(entry);
  }
  return turns;
}

/** Returns the number of each entry's turn, from 0. */
function numberTurns(entries: readonly HistoryEntry[], viewer: Viewer = {}): readonly number[] {
  const { numberOf } = turnNumbering(requestTest(entries, viewer));
  return entries.map((entry) => numberOf(entry));
}

/** Numbers turns, entry by entry. */
export interface TurnNumbering {
  /** Returns the number of the next entry's turn. */
  readonly numberOf: (entry: HistoryEntry) => number;
  /** The numbers of turns by their ids. */
  readonly numbers: ReadonlyMap<string | undefined, number>;
}

/**
 * Begins to number turns.
 *
 * @param isRequest - What asks, as `requestTest` says of the whole history.
 */
export function turnNumbering(isRequest?: (entry: HistoryEntry) => boolean): TurnNumbering {
  const numbers = new Map<string | undefined, number>();
  let newest = 0;
  let firstAgent: string | undefined;
  let id: string | undefined;
  let isBegun = false;
  let isInRow = false;
  return { numberOf, numbers };

  function numberOf(entry: HistoryEntry): number {
    const { type, turnId } = entry;
    const begins = isRequest
      ? isRequest(entry)
      : type === "task" &&
        entry.from === undefined &&
        entry.taskId === undefined &&
        (firstAgent ??= entry.agent?.id) === entry.agent?.id;
    const stands = BESIDE_MESSAGES.has(type);
    const known = numbers.get(turnId);
    if (known !== undefined && known !== newest) {
      // What is said of another turn parts requests too.
      isInRow &&= stands || begins;
      return known;
    }
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
    isBegun ||= !stands;
    isInRow = (isRequest !== undefined && begins) || (isInRow && stands);
    return newest;
  }
}

/** Tells what asks: the user, or where no user speaks the viewer's own tasks; nothing where there are neither. */
function requestTest(
  entries: readonly HistoryEntry[],
  viewer: Viewer,
): ((entry: HistoryEntry) => boolean) | undefined {
  const tests = [isUserMessage, (entry: HistoryEntry) => isOwnTask(entry, viewer)];
  return tests.find((test) => entries.some(test));
}

/** Returns whether the user speaks, who begins turns. */
export function isUserMessage({ type }: HistoryEntry): boolean {
  return type === "user_message";
}

/** What may stand before and between the messages of one request. */
const BESIDE_MESSAGES: ReadonlySet<string> = new Set([
  "attachment",
  "system_message",
  "memory",
  "summary",
]);
