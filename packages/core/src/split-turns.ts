import type { HistoryEntry } from "./history-entry.ts";
import type { Viewer } from "./message-role.ts";
import { overReadable, readOr } from "./over-readable.ts";

/** Everything from one user request until the next. */
export interface Turn {
  /** The `turnId` of its entries, if they have one. */
  readonly id?: string;
  /** In the order of the log. */
  readonly entries: readonly HistoryEntry[];
}

/**
 * Splits a history into turns; every entry is in exactly one. Linear.
 *
 * `turnId` says which turn. Where it is missing, a user message begins a turn, and user messages in a row (attachments,
 * memories, summaries and system messages may stand between) belong to one; in a log without user messages a `task` begins one, unless an
 * agent gave it or another agent was given the first: agents side by side share a turn. In such a log, the viewer's own tasks begin turns if it has any. Entries before the first request form a turn of their own, except system messages, memories and summaries. A turn that began without an id takes the first id in it.
 *
 * @param options - `viewer`: whose prompt is built from the entries.
 */
export function splitTurns(
  entries: readonly HistoryEntry[],
  { viewer = {} }: { readonly viewer?: Viewer } = {},
): readonly Turn[] {
  return overReadable(entries, (readable) => {
    // User messages begin turns; without any, the viewer's own tasks.
    const tests = [isUserMessage, (entry: HistoryEntry) => isOwnTask(entry, viewer)];
    const { numberOf } = turnNumbering(tests.find((test) => readable.some(test)));
    const turns: { id?: string; entries: HistoryEntry[] }[] = [];
    for (const entry of readable) {
      const turn = (turns[numberOf(entry)] ??= { entries: [] });
      if (entry.turnId !== undefined) turn.id ??= entry.turnId;
      turn.entries.push(entry);
    }
    return turns;
  });
}

/** Assigns turn numbers, entry by entry. */
export interface TurnNumbering {
  /** Returns the turn number of the next entry. */
  readonly numberOf: (entry: HistoryEntry) => number;
  /** Turn numbers by turn id. */
  readonly numbers: ReadonlyMap<string | undefined, number>;
}

/**
 * Creates a turn numbering.
 *
 * @param isRequest - Whether an entry is a request. Default: a history without requests, in which tasks begin turns.
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
      // An entry of another turn also separates requests.
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

/** Returns whether an entry is a user message. */
export function isUserMessage({ type }: HistoryEntry): boolean {
  return type === "user_message";
}

/** Types that may precede or separate the messages of one request. */
const BESIDE_MESSAGES: ReadonlySet<string> = new Set([
  "attachment",
  "system_message",
  "memory",
  "summary",
]);

/**
 * Finds the request that a prompt must answer: the newest user message; in a view without one the viewer's newest task, never
 * an instruction that it gave. Walks backward.
 *
 * @returns The entry, or `undefined` if there is neither.
 */
export function findQuestion(
  entries: readonly HistoryEntry[],
  viewer: Viewer = {},
): HistoryEntry | undefined {
  return overReadable(
    entries,
    (readable) =>
      readable.findLast(isUserMessage) ??
      readable.findLast((entry) => isOwnTask(entry, viewer)) ??
      (viewer.agentId === undefined ? readable.findLast(({ type }) => type === "task") : undefined),
  );
}

/**
 * Finds the last `task`: of the thread, or of one agent. Walks backward and stops at it.
 *
 * @param agentId - Whose task; without it, anybody's.
 * @returns Its index, or -1 where there is none.
 */
export function findLastTask(entries: readonly HistoryEntry[], agentId?: string): number {
  return entries.findLastIndex((entry) =>
    readOr(
      false,
      () => entry.type === "task" && (agentId === undefined || entry.agent?.id === agentId),
    ),
  );
}

/** Returns whether an entry is a task of the viewer that it did not give itself. */
export function isOwnTask(entry: HistoryEntry, viewer: Viewer): boolean {
  return (
    entry.type === "task" &&
    viewer.agentId !== undefined &&
    entry.agent.id === viewer.agentId &&
    entry.from?.id !== viewer.agentId
  );
}
