import type { HistoryEntry } from "@agent-history/core";

import type { WorkingItem } from "./working-plan.ts";

/** A turn as most are: a request, rounds of tool calls with their results, an answer. */
export interface PlainTurn {
  /** In a row, as a user writes before anybody answers; at least one. */
  readonly requests: readonly WorkingItem[];
  readonly rounds: readonly WorkingItem[];
  /** Missing only where the turn is still being answered. */
  readonly answer?: WorkingItem;
}

/** A turn while it is read. */
interface OpenTurn extends PlainTurn {
  readonly requests: WorkingItem[];
  readonly rounds: WorkingItem[];
  answer?: WorkingItem;
}

/**
 * Reads items as plain turns behind system messages.
 *
 * @param items - Messages, and actions with their results.
 * @param all - The entries of which some are items.
 * @returns Oldest first; nothing where an older turn has no answer, something is gone between requests, several agents speak, or turns are named otherwise.
 */
export function plainTurns(
  items: readonly WorkingItem[],
  all: readonly HistoryEntry[],
): readonly PlainTurn[] | undefined {
  const turns: OpenTurn[] = [];
  const speakers = new Set<string | undefined>();
  let next = 0;
  for (const item of items) {
    const [first] = item.entries;
    const turn = turns.at(-1);
    const isOver = turn === undefined || turn.answer !== undefined;
    const gap = next;
    next = item.position + item.entries.length;
    if (first?.type === "system_message") {
      if (turn !== undefined || first.turnId !== undefined) return undefined;
    } else if (first?.type === "user_message") {
      const isInRow = !isOver && turn.rounds.length === 0 && gap === item.position;
      if (isOver) turns.push({ requests: [item], rounds: [] });
      else if (isInRow && isOfTurn(item, turn)) turn.requests.push(item);
      else return undefined;
    } else {
      if (isOver || asksWithin(all, gap, item.position) || !isOfTurn(item, turn)) return undefined;
      speakers.add(first?.agent?.id);
      if (first?.type === "action") turn.rounds.push(item);
      else turn.answer = item;
    }
  }
  return speakers.size <= 1 && areNamedApart(turns) ? turns : undefined;
}

/** Returns whether a user speaks in a gap. What is gone of a turn is short. */
function asksWithin(all: readonly HistoryEntry[], from: number, to: number): boolean {
  for (let index = to - 1; index >= from; index--) {
    if (all[index]?.type === "user_message") return true;
  }
  return false;
}

function isOfTurn({ entries }: WorkingItem, turn: PlainTurn): boolean {
  const turnId = nameOf(turn);
  for (const entry of entries) if (entry.turnId !== turnId) return false;
  return true;
}

/** Returns whether each turn has a name of its own, or none has one. */
function areNamedApart(turns: readonly PlainTurn[]): boolean {
  const names = new Set(turns.map(nameOf));
  return names.has(undefined) ? names.size === 1 : names.size === turns.length;
}

function nameOf({ requests }: PlainTurn): string | undefined {
  return requests[0]?.entries[0]?.turnId;
}

/** The requests of a turn and its answer. */
export function coreOf({ requests, answer }: PlainTurn): readonly WorkingItem[] {
  return answer === undefined ? requests : [...requests, answer];
}
