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
function splitUnit(
  { items }: Unit,
  { turn, named }: ItemTurns,
  last: WorkingItem,
): readonly Unit[] {
  const units = new Map<number, Unit>();
  // What was answered is over, though its request stands in a row with the question.
  const answered = new Set(items.filter(isAnswer).map(named));
  answered.delete(named(last));
  const keyOf = (item: WorkingItem): number =>
    answered.has(named(item)) ? named(item) + 0.5 : turn(item);
  const asked = keyOf(last);
  const asking = new Set(items.filter(({ isRequest }) => isRequest).map(keyOf));
  let key = -1;
  for (const item of items) {
    // What no request is known of belongs to the one before it.
    const number = keyOf(item);
    if (key < 0 || asking.has(number) || number === asked) key = number;
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
