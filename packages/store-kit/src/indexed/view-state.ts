import type { HistoryView } from "@agent-history/core";

import type { Reference } from "./reference.ts";
import type { ReferenceRow } from "./store-program.ts";

/** What a view's summaries do to its entries, worked out when one came or went: what a read needs to know of them. */
export interface ViewState {
  /** The version of this form. */
  readonly format: 1;
  /** How many summaries the view has, those that others cover included. */
  readonly count: number;
  /** The version of the thread that it was worked out for. What came later is covered by none. */
  readonly version: number;
  /** Where members of the view are gone, but for system messages and pinned ones: positions from and to, in order. */
  readonly runs: readonly (readonly [from: number, to: number])[];
  /** The summaries that stand in the view, in order. */
  readonly shown: readonly ShownSummary[];
  /** What remains of the turns; missing where the log must be read to tell. */
  readonly turns?: RemainingTurns;
  /** An exchange is gone in part. */
  readonly isSplit: boolean;
  /** Phases of this turn may begin elsewhere, or belong to tasks that are gone. */
  readonly brokenPhases?: number;
  readonly goneTasks: GoneTasks;
  /** All that remains up to the end of the last run; in the view of the whole thread, where it is not much. */
  readonly kept?: readonly ReferenceRow[];
}

/** Which tasks are gone. */
export interface GoneTasks {
  /** Their positions, from `from` on. */
  readonly at: readonly number[];
  /** Tasks before it that lie in a run may be gone too. */
  readonly from: number;
}

/** A summary that stands in a view. */
export interface ShownSummary {
  readonly id: string;
  /** Its place: the position of the first entry it covers. */
  readonly at: number;
  readonly bytes: number;
  readonly agent?: string;
}

/** How turns are numbered in a view, against the log. */
export interface RemainingTurns {
  /** From this position on, the number in the view is the number in the log less `offset`. */
  readonly from: number;
  readonly offset: number;
  /** The highest number in the view of what stands before `from`; -1 for none. Of what may not stand beside a request. */
  readonly looseTurn: number;
  /** The same of messages of the conversation. */
  readonly looseTalk: number;
}

/** Reads a view's state; `undefined` for a view without summaries. */
export function viewStateOf(text: string | undefined): ViewState | undefined {
  if (text === undefined) return undefined;
  const state: ViewState = JSON.parse(text);
  return state.count === 0 ? undefined : state;
}

/** Returns whether a position lies in a run: a member of the view there may be gone. */
export function isInRun({ runs }: ViewState, position: number): boolean {
  let low = 0;
  let high = runs.length;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [from, to] = runs[middle] ?? [0, 0];
    if (position < from) high = middle;
    else if (position > to) low = middle + 1;
    else return true;
  }
  return false;
}

/** Returns whether the task at a position is gone, or may be. */
export function isTaskGone(state: ViewState, position: number): boolean {
  const { at, from } = state.goneTasks;
  return position < from ? isInRun(state, position) : at.includes(position);
}

/**
 * Returns whether a summary stands for an entry.
 *
 * @param isOwnView - The view is that of the agent whose stream tells what is its own.
 */
export function isCovered(
  reference: Reference,
  state: ViewState,
  view: HistoryView | undefined,
  isOwnView: boolean,
): boolean {
  const { position, type, isPinned, isOwn } = reference;
  if (type === "system_message" || isPinned || !isInRun(state, position)) return false;
  if (view === "thread" || view === undefined) return true;
  return view === "conversation" ? TALK.has(type) : isOwnView && isOwn;
}

/** What belongs to the view of the conversation. */
const TALK: ReadonlySet<string> = new Set(["user_message", "assistant_message", "attachment"]);
