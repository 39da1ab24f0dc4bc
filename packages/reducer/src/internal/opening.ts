import { messageRole } from "@agent-history/core";
import type { HistoryEntry, Viewer } from "@agent-history/core";

import type { FitOptions } from "../fit-options.ts";
import { dropItem, dropWhole, mayDrop } from "./drop-items.ts";
import type { FitContext } from "./fit-context.ts";
import type { MaybeAsync } from "./maybe-async.ts";
import { isAnswer, isTaskFor, partsRow, requestTest, standsBeside } from "./requests.ts";
import { shortenItems } from "./shorten-items.ts";
import { fixedAs, PROVIDERS, RUNNING } from "./working-plan.ts";
import type { Because, WorkingPlan, WorkingItem, Unit } from "./working-plan.ts";

/** What the opening of a history keeps of the budget, unless the caller says otherwise. */
const SHARE = 0.05;

/** Returns the share of the budget that the first request of a history keeps. */
export function openingShare(
  entries: readonly HistoryEntry[],
  { keepOpening }: FitOptions,
): number {
  if (typeof keepOpening === "number") return keepOpening;
  // From the end: what was said last stands nearest.
  const isWork = ({ type }: HistoryEntry): boolean => type === "action" || type === "task";
  return (keepOpening ?? entries.findLastIndex(isWork) >= 0) ? SHARE : 0;
}

/** Holds back what goes only where nothing else is left: the opening, and what belongs to something protected. */
export function holdBack(
  { units, items, newest }: Pick<WorkingPlan, "units" | "items" | "newest">,
  entries: readonly HistoryEntry[],
  options: FitOptions,
): void {
  const asks = requestTest(entries, options.viewer);
  const first = firstOf(items, entries, asks);
  // Behind the last message only instructions stand.
  const said = items.findLast(
    ({ opens, isSilent, unit }) => opens !== undefined || (unit.isAside && isSilent !== true),
  );
  const isLast = (item: WorkingItem): boolean => item === said && newest?.type === "system_message";
  const lead = leadOf(items, isLast, options.viewer);
  // In a log in which users speak an agent's own task stays too.
  const isSaid = items.some(({ entries: [entry] }) => entry?.type === "user_message");
  const own = isSaid
    ? items.findLast(({ isRequest, entries: [entry] }) => isRequest && entry?.type === "task")
    : undefined;
  for (const unit of units) {
    const isStart =
      unit.holdsQuestion ||
      (!unit.isLoose &&
        unit.items.some((item) => standsHere(item) || isLast(item) || item === own));
    const isLead = lead?.isRequest === true && unit === lead.unit;
    const isFirst =
      !unit.isLoose &&
      first !== undefined &&
      unit.items.some((item) => item.entries.includes(first));
    if (!isStart && !isLead && !isFirst) continue;
    const core = unit.items.filter((item) => !item.mayGoFirst && item.protectedAs === undefined);
    // Calls are looked for in the whole history, but not where nothing of the opening would be held.
    const mayOpen = core.length > 0 && (isStart || isLead || openingShare(entries, options) > 0);
    if (!mayOpen) continue;
    for (const item of core) item.held = isStart || isLead ? "start" : "opening";
  }
  // Of a turn that is being answered now, one message is enough.
  const isAnswered = lead?.unit.items.some((item) => isOfNow(item) || isLast(item)) === true;
  const isAsked = lead?.entries.some(asks) === true;
  const mates = isAsked && !isAnswered ? turnAt(lead, entries, options.viewer) : undefined;
  for (const item of items) {
    if (item.protectedAs !== undefined) continue;
    const isMate = item.held !== undefined && mates?.has(item) === true;
    if (item === lead || isLast(item) || isMate) item.held = "lead";
  }
}

/** Finds the first request of a history, where it is one of some items. Looks back from the first of theirs. */
function firstOf(
  items: readonly WorkingItem[],
  entries: readonly HistoryEntry[],
  asks: (entry: HistoryEntry) => boolean,
): HistoryEntry | undefined {
  for (const item of items) {
    const index = item.entries.findIndex(asks);
    if (index < 0) continue;
    const entryIndex = item.position + index;
    for (let before = entryIndex - 1; before >= 0; before--) {
      const entry = entries[before];
      if (entry !== undefined && asks(entry)) return undefined;
    }
    return item.entries[index];
  }
  return undefined;
}

/**
 * Finds what must stand first, where what stays does not begin with a user's message: the request of the answer that stays first, else the last
 * thing before it that reads as a user's, be it a summary.
 */
function leadOf(
  items: readonly WorkingItem[],
  isLast: (item: WorkingItem) => boolean,
  viewer: Viewer | undefined,
): WorkingItem | undefined {
  const index = items.findIndex((item) => {
    return (item.protectedAs !== undefined && item.opens !== undefined) || isLast(item);
  });
  const first = items[index];
  const before = first === undefined ? items : items.slice(0, index);
  const isRead = ({ entries: [entry] }: WorkingItem): boolean =>
    entry !== undefined && messageRole(entry, viewer) === "user";
  // A summary that stays may lead too, be it the last thing that is said.
  const isLed = items
    .slice(0, before.length + 1)
    .some(
      (item) =>
        item.protectedAs === PROVIDERS ||
        (item.protectedAs !== undefined && item.opens === undefined && isRead(item)),
    );
  if (isLed || (first !== undefined && isRead(first))) return undefined;
  // Of an agent's tasks an earlier one leads as well. Where nobody asks, what reads as a user's last does.
  const asks = ({ isRequest, unit, entries: [entry] }: WorkingItem): boolean =>
    entry !== undefined &&
    unit === first?.unit &&
    ((viewer?.agentId !== undefined && isTaskFor(entry, viewer)) ||
      (isRequest && (entry.type === "user_message" || entry.type === "task")));
  return before.findLast(asks) ?? before.findLast(isRead);
}

/** The requests in a row with one, and what follows until the next: several turns may be one unit. */
function turnAt(
  request: WorkingItem,
  all: readonly HistoryEntry[],
  viewer: Viewer | undefined,
): ReadonlySet<WorkingItem> {
  const { items } = request.unit;
  const asks = requestTest(all, viewer);
  // An exchange that stands for an answer may go.
  const isSaid = ({ entries: [first] }: WorkingItem): boolean =>
    first !== undefined && isAnswer(first, viewer);
  const isAsking = (item: WorkingItem | undefined): boolean => item?.entries.some(asks) === true;
  let start = items.indexOf(request);
  // What stands between requests parts no row.
  for (let index = start - 1; isAsking(items[index]) || partsNothing(items[index]); index--) {
    const [before, after] = [items[index], items[index + 1]];
    if (before === undefined || after === undefined) break;
    if (partsRow(all, [before.position + before.entries.length, after.position])) break;
    if (isAsking(before)) start = index;
  }
  let end = items.indexOf(request) + 1;
  while (!isAsking(items[end]) && end < items.length) end += 1;
  const turn = items.slice(start, end).filter((item) => isAsking(item) || isSaid(item));
  // An answer that stays for itself needs one request that leads to it.
  const answer = turn.findLast(isSaid);
  return new Set(fixedAs(answer?.entries[0]) === undefined ? turn : []);
}

function partsNothing(item: WorkingItem | undefined): boolean {
  return item?.entries.every(standsBeside) === true;
}

function isOfNow(item: WorkingItem): boolean {
  return item.unit.holdsQuestion || standsHere(item);
}

/** Returns whether an item is protected at its place, with what led to it. */
export function standsHere({ protectedAs }: WorkingItem): boolean {
  return protectedAs === RUNNING || protectedAs === "newest entry";
}

/** Leaves of the opening its request and answer, shortened to their share; drops it where that cannot be. */
export function* condenseOpening(
  scope: { readonly draft: WorkingPlan; readonly context: FitContext },
  unit: Unit,
  because: Because,
): MaybeAsync<void> {
  if (unit.isCondensed) return;
  const { draft } = scope;
  unit.isCondensed = true;
  const core = unit.items.filter(({ held }) => held === "opening");
  for (const item of unit.items) if (mayDrop(item)) dropItem(draft, item, because);
  if (yield* shortenOpening(scope, core, because)) return;
  for (const item of core) item.held = undefined;
  for (const item of core) dropWhole(draft, item, because);
}

/** Why the opening is shortened, where no step came to it. */
export const BEFORE_GAP = { step: "keep-opening", reason: "what follows the opening is gone" };

/** Shortens request and answer of the opening to their share; tells whether that can be. */
export function* shortenOpening(
  scope: { readonly draft: WorkingPlan; readonly context: FitContext },
  core: readonly WorkingItem[],
  because: Because,
): MaybeAsync<boolean> {
  const { budget, options } = scope.context;
  const room = Math.floor(budget * openingShare(scope.draft.entries, options));
  const whole = core.reduce((sum, { tokens }) => sum + tokens, 0);
  // Most openings are short.
  if (whole <= room && core.every(({ edits }) => (edits?.size ?? 0) === 0)) return true;
  return yield* shortenItems(scope, core, { room, leastCharacters: 40, because });
}

/** Holds the opening to its share, where what follows it is gone or was not looked at. */
export function* condenseBeforeGap(draft: WorkingPlan, context: FitContext): MaybeAsync<void> {
  const unit = draft.units.find(({ items }) => items.some(({ held }) => held === "opening"));
  if (unit === undefined || !isBeforeGap(unit, draft)) return;
  yield* condenseOpening({ draft, context }, unit, BEFORE_GAP);
}

/** Returns whether what follows a turn is gone, or was not looked at. */
export function isBeforeGap({ items }: Unit, { entries, itemOf }: WorkingPlan): boolean {
  const last = items.at(-1);
  const next = last && entries[last.position + last.entries.length];
  return next !== undefined && itemOf.get(next)?.isDropped !== false;
}

/** Finds the first request before a place, and the last answer to it, where both stand before that place. */
export function findOpening(
  entries: readonly HistoryEntry[],
  from: number,
  options: FitOptions,
): readonly number[] {
  if (openingShare(entries, options) === 0) return [];
  const isRequest = requestTest(entries, options.viewer);
  const requests: number[] = [];
  let answer: number | undefined;
  let isBegun = false;
  for (let index = 0; index < from; index++) {
    const entry = entries[index];
    if (entry === undefined) continue;
    if (isRequest(entry)) {
      if (isBegun) break;
      requests.push(index);
    } else if (entry.type !== "system_message" && requests.length > 0) {
      // An answer that stays by itself ends the opening all the same.
      isBegun ||= messageRole(entry, options.viewer) !== "user";
      if (fixedAs(entry) === undefined && isAnswer(entry, options.viewer)) answer = index;
    }
  }
  return answer === undefined ? [] : [...requests, answer];
}
