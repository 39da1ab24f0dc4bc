import { isLedBy } from "./drop-held.ts";
import { takeBack } from "./drop-items.ts";
import type { FitContext } from "./fit-context.ts";
import type { MaybeAsync } from "./maybe-async.ts";
import { isBeforeGap, standsHere } from "./opening.ts";
import { standsBeside } from "./requests.ts";
import { clash } from "./roles.ts";
import { unitsByWorth } from "./score-items.ts";
import { shortenItems } from "./shorten-items.ts";
import type { WorkingPlan, WorkingItem, Unit } from "./working-plan.ts";

const EDGE = {
  step: "shorten-edge",
  reason: "the oldest request and answer, as far as there is room",
};

/**
 * Undoes what fits: first the rest of requests and answers of which a part stays, up to the window itself; then of each turn its request and
 * answer, then the rest of it, newest first. The first turn that does not fit is shortened while a third of it remains; without scores none before
 * it is taken, so that the conversation has no holes.
 */
export function* refill(draft: WorkingPlan, context: FitContext, target: number): MaybeAsync<void> {
  const isScored = draft.items.some(({ score }) => score !== undefined);
  for (const unit of draft.units) {
    if (!isTorn(unit)) continue;
    const room = { draft, context, target: context.budget };
    const isPart = partTest(unit);
    const isAsked = unit.items.some((item) => item.isRequest && !isTask(item));
    // Of the turn that is being answered requests are enough; an agent's own task may stay away.
    const isTaken =
      !unit.holdsQuestion &&
      ((yield* takeCore(unit, room)) ||
        (isAsked && (yield* takeCore(unit, room, (item) => !isTask(item)))));
    const asking = askingOf(unit);
    if (isTaken) continue;
    yield* takeCore(unit, room, (item) => isPart(item) || asking.has(item));
    // What went later than an answer to such a request may have left room for it.
    for (const answer of unit.items.filter(isLedBy).toReversed()) {
      yield* takeCore(unit, room, (item) => item === answer);
    }
  }
  let isAtEdge = false;
  for (const unit of isScored ? unitsByWorth(draft.units) : draft.units.toReversed()) {
    // Nothing of it is gone or shortened.
    if (unit.isCondensed !== true && !unit.items.some(({ isDropped }) => isDropped)) continue;
    isAtEdge ||= !isScored && unit.isCondensed === true && isBeforeGap(unit, draft);
    const isWhole =
      unit.isAside ||
      unit.holdsQuestion ||
      (!isAtEdge && (yield* takeCore(unit, { draft, context, target })));
    if (isWhole) takeRest(unit, draft, target);
    else isAtEdge ||= !isScored;
  }
}

/** Returns whether of requests and answers a part is gone, and a part or what runs in their turn stays. */
function isTorn({ items, isAside, holdsQuestion }: Unit): boolean {
  // Nearly all units are whole, or gone.
  if (isAside || !items.some(({ isDropped }) => isDropped)) return false;
  const core = items.filter((item) => !item.mayGoFirst && item.protectedAs === undefined);
  const isGone = core.some(({ isDropped }) => isDropped);
  const isLeft = core.some(({ isDropped }) => !isDropped) || items.some(standsHere);
  return isGone && (holdsQuestion || isLeft);
}

function isTask({ entries: [first] }: WorkingItem): boolean {
  return first?.type === "task";
}

/** Tells what is a part of a request of which another part stays: of the same type, in a row with it. */
function partTest({ items }: Unit): (item: WorkingItem) => boolean {
  const parts = new Set<WorkingItem>();
  let row: WorkingItem[] = [];
  for (const item of items) {
    const [first] = item.entries;
    if (first === undefined || standsBeside(first)) continue;
    if (!item.isRequest || first.type !== row[0]?.entries[0]?.type) row = [];
    if (!item.isRequest) continue;
    row.push(item);
    if (row.some(({ isDropped }) => !isDropped)) for (const part of row) parts.add(part);
  }
  return (item) => parts.has(item);
}

/** The requests in a row behind which something runs or the newest entry stands: they lead to it without their answer too. */
function askingOf({ items, holdsQuestion }: Unit): ReadonlySet<WorkingItem> {
  const at = holdsQuestion ? -1 : items.findIndex(standsHere);
  const before = items.slice(0, Math.max(at, 0));
  const last = before.findLastIndex(({ isRequest }) => isRequest);
  const isBetween = ({ isRequest, entries: [first] }: WorkingItem): boolean =>
    isRequest || (first !== undefined && standsBeside(first));
  const row = before.slice(0, last + 1);
  const start = row.findLastIndex((item) => !isBetween(item)) + 1;
  return new Set(row.slice(start).filter(({ isRequest }) => isRequest));
}

/** Undoes a turn's request and answer, shortened where need be; tells whether they are there as they came. */
function* takeCore(
  unit: Unit,
  {
    draft,
    context,
    target,
  }: { readonly draft: WorkingPlan; readonly context: FitContext; readonly target: number },
  isTaken: (item: WorkingItem) => boolean = () => true,
): MaybeAsync<boolean> {
  const core = unit.items.filter(
    (item) =>
      isTaken(item) &&
      !item.mayGoFirst &&
      item.protectedAs === undefined &&
      (item.isDropped || unit.isCondensed),
  );
  if (core.some(({ summary }) => summary !== undefined)) return false;
  if (core.length === 0) return true;
  let room = target - draft.total;
  let whole = 0;
  for (const item of core) {
    whole += item.counted ?? 0;
    if (!item.isDropped) room += item.tokens;
  }
  if (!(yield* takeShortened({ draft, context }, core, room))) return false;
  return whole <= room;
}

/** Undoes a request and its answer, shortened to the room that there is; tells whether that can be. */
export function* takeShortened(
  { draft, context }: { readonly draft: WorkingPlan; readonly context: FitContext },
  core: readonly WorkingItem[],
  room: number,
): MaybeAsync<boolean> {
  const isScored = core.some(({ score }) => score !== undefined);
  const least = isScored ? { leastCharacters: 16 } : { leastShare: 1 / 3, leastCharacters: 40 };
  const limits = { room, ...least, because: EDGE };
  if (!(yield* shortenItems({ draft, context }, core, limits))) return false;
  for (const item of core) if (item.isDropped) takeBack(draft, item);
  return true;
}

/** Undoes what fits of the rest, newest first; what stands between what is back by now in a second round. */
function takeRest(unit: Unit, draft: WorkingPlan, target: number): void {
  for (let round = 0; round < 2; round++) {
    const before: (WorkingItem | undefined)[] = [];
    let last: WorkingItem | undefined;
    for (const item of unit.items) {
      before.push(last);
      if (!item.isDropped && item.isSilent !== true) last = item;
    }
    let next: WorkingItem | undefined;
    for (const [index, item] of [...unit.items.entries()].toReversed()) {
      const fits =
        item.isDropped &&
        item.summary === undefined &&
        draft.total + item.tokens <= target &&
        !clash(before[index], item) &&
        !clash(item, next);
      if (fits) takeBack(draft, item);
      if (!item.isDropped && item.isSilent !== true) next = item;
    }
  }
}
