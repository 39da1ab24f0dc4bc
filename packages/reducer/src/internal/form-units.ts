import type { HistoryEntry, Viewer } from "@agent-history/core";

import { itemTurns } from "./item-turns.ts";
import type { ItemTurns } from "./item-turns.ts";
import { isAnswer, isTold, markCore } from "./mark-core.ts";
import { partsRow } from "./requests.ts";
import { readRoles } from "./roles.ts";
import type { WorkingPlan, WorkingItem, Unit } from "./working-plan.ts";

/**
 * Forms units of items, so that any of them may go and roles still alternate: each begins with a request and holds whole turns. What
 * cannot be distinguished from the turn of the question is split into its turns. Summaries, memories and system messages stand alone. Linear.
 */
export function formUnits(
  items: readonly WorkingItem[],
  all: readonly HistoryEntry[],
  { viewer, question }: Pick<WorkingPlan, "question"> & { readonly viewer: Viewer | undefined },
): readonly Unit[] {
  readRoles(items, all, viewer);
  const turns = itemTurns(items, all, viewer);
  const { turn } = turns;
  const lastOf = new Map<number, number>();
  for (const [index, item] of items.entries()) if (isTold(item)) lastOf.set(turn(item), index);
  const newest = items.at(-1);
  const asking = items.find(({ entries }) => question !== undefined && entries.includes(question));
  const last = asking ?? newest;
  const asked = last && turn(last);
  const units: Unit[] = [];
  let unit: Unit | undefined;
  let reach = -1;
  let role: string | undefined;
  let next = 0;
  for (const [index, item] of items.entries()) {
    const isAside = item.opens === undefined;
    // What stood in a gap kept roles apart.
    if (next < item.position && partsRow(all, [next, item.position])) role = undefined;
    next = item.position + item.entries.length;
    item.isRequest = turns.isRequest(item);
    // Where roles do not alternate between two turns, or one stands within the other, they are one unit.
    const begins = item.isRequest && !turns.isOwnTask(item) && role !== "user" && reach < index;
    const begun = isAside || begins ? undefined : unit;
    item.unit = begun ?? { items: [], isAside, isLoose: false, holdsQuestion: false };
    if (begun === undefined) units.push(item.unit);
    item.unit.items.push(item);
    if (question !== undefined && item.entries.includes(question)) item.unit.holdsQuestion = true;
    if (!isAside) unit = item.unit;
    const isSaid = item.isSilent !== true && (item.closes !== "user" || item.isRequest);
    if (isSaid && (item.closes !== "user" || isTold(item))) role = item.closes ?? role;
    const number = isTold(item) ? turn(item) : asked;
    if (number !== undefined && number !== asked) reach = Math.max(reach, lastOf.get(number) ?? -1);
  }
  const whole = units.flatMap((each) =>
    each.holdsQuestion && last !== undefined ? splitUnit(each, turns, last) : [each],
  );
  for (const [number, each] of whole.entries()) {
    for (const item of each.items) item.turn = number;
    markCore(each, turns);
  }
  return whole;
}

/** Returns each turn of the unit that holds the question a unit of its own: not all of them may have room. */
function splitUnit({ items }: Unit, turns: ItemTurns, last: WorkingItem): readonly Unit[] {
  const units = new Map<number, Unit>();
  const turn = turnsApart(items, turns, last);
  const asked = turn(last);
  const asking = new Set(items.filter(({ isRequest }) => isRequest).map(turn));
  let key = -1;
  for (const item of items) {
    // What no request is known of belongs to the one before it.
    if (key < 0 || asking.has(turn(item)) || turn(item) === asked) key = turn(item);
    const unit = units.get(key) ?? {
      items: [],
      isAside: false,
      isLoose: true,
      holdsQuestion: key === asked,
    };
    units.set(key, unit);
    unit.items.push(item);
    item.unit = unit;
  }
  return [...units.values()];
}

/** Tells the turns of a unit apart: one that was answered is over, though its request stands in a row with that of the last. */
function turnsApart(
  items: readonly WorkingItem[],
  { turn, named }: ItemTurns,
  last: WorkingItem,
): (item: WorkingItem) => number {
  const over = new Set<number>();
  for (const item of items) {
    const isNamed = item.entries[0]?.turnId !== undefined;
    if (isNamed && item.opens === "assistant" && isAnswer(item)) over.add(named(item));
  }
  over.delete(named(last));
  return (item) => (over.has(named(item)) ? named(item) + 0.5 : turn(item));
}
