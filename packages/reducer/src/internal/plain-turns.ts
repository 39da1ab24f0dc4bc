import type { HistoryEntry } from "@agent-history/core";

import type { Heading, WorkingItem } from "./working-plan.ts";

/** A turn as most are: a request, rounds of tool calls with their results, an answer. */
export interface PlainTurn {
  readonly turnId: string | undefined;
  /** In a row, as a user writes before anybody answers; at least one. */
  readonly requests: readonly WorkingItem[];
  readonly rounds: readonly WorkingItem[];
  /** Missing only where the turn is still being answered. */
  readonly answer: WorkingItem | undefined;
}

/** A turn while it is read. */
interface OpenTurn extends PlainTurn {
  readonly requests: WorkingItem[];
  readonly rounds: WorkingItem[];
  answer: WorkingItem | undefined;
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
  let turn: OpenTurn | undefined;
  let speaker: Heading | undefined;
  let next = 0;
  for (let nth = 0; nth < items.length; nth++) {
    const item = items[nth];
    if (item?.heading === undefined) return undefined;
    const { type, turnId, agentId } = item.heading;
    const isOver = turn === undefined || turn.answer !== undefined;
    const gap = next;
    next = item.position + item.entries.length;
    if (type === "system_message") {
      if (turn !== undefined || turnId !== undefined) return undefined;
    } else if (type === "user_message") {
      const isInRow = !isOver && turn?.rounds.length === 0 && gap === item.position;
      if (turn === undefined || isOver) {
        turn = { turnId, requests: [item], rounds: [], answer: undefined };
        turns.push(turn);
      } else if (isInRow && turnId === turn.turnId) turn.requests.push(item);
      else return undefined;
    } else {
      if (turn === undefined || isOver || turnId !== turn.turnId) return undefined;
      if (asksWithin(all, gap, item.position)) return undefined;
      speaker ??= item.heading;
      if (speaker.agentId !== agentId) return undefined;
      if (type === "action") turn.rounds.push(item);
      else turn.answer = item;
    }
  }
  return areNamedApart(turns) ? turns : undefined;
}

/** Returns whether a user speaks in a gap. What is gone of a turn is short. */
function asksWithin(all: readonly HistoryEntry[], from: number, to: number): boolean {
  for (let index = to - 1; index >= from; index--) {
    if (all[index]?.type === "user_message") return true;
  }
  return false;
}

/** Returns whether each turn has a name of its own, or none has one. */
function areNamedApart(turns: readonly PlainTurn[]): boolean {
  if (turns[0]?.turnId === undefined) return turns.every(({ turnId }) => turnId === undefined);
  const names = new Set(turns.map(({ turnId }) => turnId));
  return names.size === turns.length && !names.has(undefined);
}

/** The requests of a turn and its answer. */
export function coreOf({ requests, answer }: PlainTurn): readonly WorkingItem[] {
  return answer === undefined ? requests : [...requests, answer];
}
