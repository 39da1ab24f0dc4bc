import { messageRole } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

import type { FitOptions } from "../fit-options.ts";
import { fixedAs } from "./draft.ts";
import type { Because, Draft, DraftItem, Unit } from "./draft.ts";
import { dropItem, dropWhole, mayDrop } from "./drop-items.ts";
import { isTaskFor } from "./form-units.ts";
import type { Request } from "./request.ts";
import { shortenItems } from "./shorten-items.ts";
import type { Task } from "./task.ts";

/** What the opening of a history keeps of the budget, unless the caller says otherwise. */
const SHARE = 0.05;

/** Gives the share of the budget that the first request of a history keeps. */
function openingShare(entries: readonly HistoryEntry[], { keepOpening }: FitOptions): number {
  if (typeof keepOpening === "number") return keepOpening;
  const keeps = keepOpening ?? entries.some(({ type }) => type === "action" || type === "task");
  return keeps ? SHARE : 0;
}

/** Holds back what goes only where nothing else is left: the opening, and what belongs to something protected. */
export function holdBack(
  { units, items }: Pick<Draft, "units" | "items">,
  entries: readonly HistoryEntry[],
  options: FitOptions,
): void {
  const first =
    openingShare(entries, options) > 0 ? entries.find(requestTest(entries, options)) : undefined;
  const pinned = items.find(
    ({ protectedAs, opens }) => protectedAs === "pinned" && opens !== undefined,
  );
  // In a log in which users speak an agent's own task stays too.
  const isSaid = items.some(({ entries: [entry] }) => entry?.type === "user_message");
  const own = isSaid
    ? items.findLast(({ isRequest, entries: [entry] }) => isRequest && entry?.type === "task")
    : undefined;
  // A prompt that begins with a pinned answer begins with its request.
  const leads = pinned?.opens === "user" ? undefined : pinned?.unit;
  for (const unit of units) {
    const isOpening =
      !unit.isLoose &&
      first !== undefined &&
      unit.items.some((item) => item.entries.includes(first));
    const isStart =
      unit.holdsQuestion ||
      unit === leads ||
      unit.items.some((item) => standsHere(item) || item === own);
    const held = isStart ? "start" : "opening";
    if (held === "opening" && !isOpening) continue;
    for (const item of unit.items) {
      if (!item.mayGoFirst && item.protectedAs === undefined) item.held = held;
    }
  }
}

/** Tells whether an item is protected at its place, with what led to it. */
function standsHere({ protectedAs }: DraftItem): boolean {
  return protectedAs === "running exchange" || protectedAs === "newest entry";
}

/** Leaves of the opening its request and answer, shortened to their share; drops it where that cannot be. */
export function* condenseOpening(
  place: { readonly draft: Draft; readonly request: Request },
  unit: Unit,
  because: Because,
): Task<void> {
  if (unit.isCondensed) return;
  const { draft, request } = place;
  unit.isCondensed = true;
  const core = unit.items.filter(({ held }) => held === "opening");
  for (const item of unit.items) if (mayDrop(item)) dropItem(draft, item, because);
  const room = Math.floor(request.budget * openingShare(draft.entries, request.options));
  if (yield* shortenItems(place, core, { room, leastCharacters: 40, because })) return;
  for (const item of core) delete item.held;
  for (const item of core) dropWhole(draft, item, because);
}

/** Finds the first request before a place, and the last answer to it, where both stand before that place. */
export function findOpening(
  entries: readonly HistoryEntry[],
  from: number,
  options: FitOptions,
): readonly number[] {
  if (openingShare(entries, options) === 0) return [];
  const isRequest = requestTest(entries, options);
  const requests: number[] = [];
  let answer: number | undefined;
  let isBegun = false;
  for (let place = 0; place < from; place++) {
    const entry = entries[place];
    if (entry === undefined) continue;
    if (isRequest(entry)) {
      if (isBegun) break;
      requests.push(place);
    } else if (fixedAs(entry) === undefined && requests.length > 0) {
      isBegun ||= messageRole(entry, options.viewer) !== "user";
      if (entry.type === "assistant_message") answer = place;
    }
  }
  return answer === undefined ? [] : [...requests, answer];
}

/** Tells what asks first in a history: the user, or where no user speaks a task. */
function requestTest(
  entries: readonly HistoryEntry[],
  { viewer }: FitOptions,
): (entry: HistoryEntry) => boolean {
  const isUsers = ({ type }: HistoryEntry): boolean => type === "user_message";
  return entries.some(isUsers) ? isUsers : (entry) => isTaskFor(entry, viewer);
}
