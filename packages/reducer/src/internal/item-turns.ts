import { messageRole, splitTurns } from "@agent-history/core";
import type { HistoryEntry, Viewer } from "@agent-history/core";

import { isTaskFor, partsRow, requestTest, standsBeside } from "./requests.ts";
import type { WorkingItem } from "./working-plan.ts";

/** Turns of items, and what asks in them. */
export interface ItemTurns {
  readonly turn: (item: WorkingItem) => number;
  /** The turn by its name alone. */
  readonly named: (item: WorkingItem) => number;
  readonly isRequest: (item: WorkingItem) => boolean;
  /** Is a task of the viewer's within a turn that the user began. */
  readonly isOwnTask: (item: WorkingItem) => boolean;
}

/**
 * Reads the turns of items. Those whose requests stand in a row are one, whatever they are named: one answer is given to both. Those
 * between which another request was dropped are not.
 *
 * @param all - The entries of which some are items.
 */
export function itemTurns(
  items: readonly WorkingItem[],
  all: readonly HistoryEntry[],
  viewer: Viewer | undefined,
): ItemTurns {
  const { turnOf, requests, own } = readTurns(items, viewer);
  const isRequest = ({ entries }: WorkingItem): boolean => entries.some((one) => requests.has(one));
  const isOwnTask = ({ entries }: WorkingItem): boolean =>
    own !== undefined && entries.includes(own);
  const asks = requestTest(all, viewer);
  const turns = new Map<WorkingItem, number>();
  /** By the number that a turn has, the one of the turn that it is joined with. */
  const joined = new Map<number, number>();
  /** By the name of a turn, its number. */
  const ofName = new Map<string, number>();
  let row: number | undefined;
  let next = 0;
  let shift = 0;
  for (const item of items) {
    const [first] = item.entries;
    const hasGap = next < item.position && partsRow(all, [next, item.position]);
    // Without names two requests are of one turn only where nothing is gone between them.
    const isNew = hasGap && isRequest(item) && first?.turnId === undefined;
    if (isNew || (hasGap && hasRequest(all, [next, item.position], asks))) shift += items.length;
    next = item.position + item.entries.length;
    // A name says which turn, whatever is gone or asks in between.
    const name = first?.turnId;
    const counted = shift + ((first && turnOf.get(first)) ?? -1);
    const number = name === undefined ? counted : (ofName.get(name) ?? counted);
    if (name !== undefined) ofName.set(name, number);
    turns.set(item, number);
    if (item.opens === undefined && !hasGap) continue;
    // An own task belongs to the turn that it stands in.
    const isAsked = isRequest(item) && !isOwnTask(item);
    if (isAsked && row !== undefined && !hasGap && number !== row) {
      joined.set(Math.max(number, row), Math.min(number, row));
    }
    if (!isAsked && !(first && standsBeside(first))) row = undefined;
    if (!isAsked) continue;
    if (row === undefined || hasGap) row = number;
    else row = Math.min(row, number);
  }
  const named = (item: WorkingItem): number => turns.get(item) ?? -1;
  const turn = (item: WorkingItem): number => {
    let number = named(item);
    for (let other = joined.get(number); other !== undefined; other = joined.get(number)) {
      number = other;
    }
    return number;
  };
  return {
    turn: joined.size === 0 ? named : turn,
    named,
    isRequest,
    isOwnTask,
  };
}

/** Returns whether something asks in a gap, from its end on: of a long one little is looked at. */
function hasRequest(
  all: readonly HistoryEntry[],
  [from, to]: readonly [number, number],
  asks: (entry: HistoryEntry) => boolean,
): boolean {
  for (let index = to - 1; index >= from; index--) {
    const entry = all[index];
    if (entry !== undefined && asks(entry)) return true;
  }
  return false;
}

/** Which turn each entry is of, and what asks: the user; else of each turn its tasks; else whatever reads as a user's. */
function readTurns(
  items: readonly WorkingItem[],
  viewer: Viewer | undefined,
): {
  readonly turnOf: ReadonlyMap<HistoryEntry, number>;
  readonly requests: ReadonlySet<HistoryEntry>;
  /** A task of the viewer's within a turn that the user began. */
  readonly own?: HistoryEntry | undefined;
} {
  const entries = items.flatMap((item) => item.entries);
  const turnOf = new Map<HistoryEntry, number>();
  const tasks = new Set<HistoryEntry>();
  const isMine = (entry: HistoryEntry): boolean => isTaskFor(entry, viewer);
  // Agents side by side share a turn; of one agent's tasks those in a row do.
  const most = viewer?.agentId === undefined ? 1 : Infinity;
  for (const [number, turn] of splitTurns(entries, viewer && { viewer }).entries()) {
    let count = 0;
    for (const entry of turn.entries) {
      turnOf.set(entry, number);
      if (entry.type !== "task" || count >= most || !isMine(entry)) continue;
      tasks.add(entry);
      count += 1;
    }
  }
  const said = entries.filter(({ type }) => type === "user_message");
  const isRead = (entry: HistoryEntry): boolean => messageRole(entry, viewer) === "user";
  if (said.length === 0) {
    return { turnOf, requests: tasks.size > 0 ? tasks : new Set(entries.filter(isRead)) };
  }
  // In a log of many an agent's own task asks it too.
  const own = viewer?.agentId === undefined ? undefined : entries.findLast(isMine);
  return { turnOf, requests: new Set(own === undefined ? said : [...said, own]), own };
}
