import { isRendered, messageRole } from "@agent-history/core";
import type { HistoryEntry, Viewer } from "@agent-history/core";

import { dropItem, dropWhole, isCut, mayDrop } from "./drop-items.ts";
import { standsHere } from "./opening.ts";
import { isGone } from "./working-plan.ts";
import type { WorkingPlan, WorkingItem } from "./working-plan.ts";

/**
 * Works out as what each item begins and ends, and how often the role has changed until then.
 *
 * @param all - The entries of which some are items.
 */
export function readRoles(
  items: readonly WorkingItem[],
  all: readonly HistoryEntry[],
  viewer: Viewer | undefined,
): void {
  let role: string | undefined;
  let changes = 0;
  let next = 0;
  for (const item of items) {
    const [first] = item.entries;
    const last = item.entries.at(-1);
    if (first === undefined || last === undefined) continue;
    const opens = messageRole(first, viewer);
    if (opens === "system" || !isRendered(first)) item.isSilent = true;
    if (first.type === "system_message") continue;
    const other =
      next < item.position
        ? roleInGap(all, [next, item.position], { viewer, unlike: opens })
        : undefined;
    next = item.position + item.entries.length;
    if (other !== undefined && other !== role) [role, changes] = [other, changes + 1];
    change(item, opens);
    if (isDerived(first)) continue;
    item.opens = opens;
    item.opensAt = changes;
    const closes = first === last ? opens : messageRole(last, viewer);
    change(item, closes);
    item.closes = closes;
    item.closesAt = changes;
  }

  function change({ isSilent }: WorkingItem, now: string): void {
    if (isSilent === true || now === role) return;
    role = now;
    changes += 1;
  }
}

/** Finds the last role in a gap that is not the one behind it. */
function roleInGap(
  all: readonly HistoryEntry[],
  [from, to]: readonly [number, number],
  { viewer, unlike }: { readonly viewer: Viewer | undefined; readonly unlike: string },
): string | undefined {
  for (let index = to - 1; index >= from; index--) {
    const entry = all[index];
    const role = entry && messageRole(entry, viewer);
    if (role !== undefined && role !== "system" && role !== unlike) return role;
  }
  return undefined;
}

function isDerived({ type }: HistoryEntry): boolean {
  return type === "summary" || type === "memory";
}

/** Returns whether two items would say the same role in a row though the history does not; a user after a result is one too. */
export function clash(one: WorkingItem | undefined, other: WorkingItem | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  if (one.closes === other.opens) return one.closesAt !== other.opensAt;
  const changes = (other.opensAt ?? 0) - (one.closesAt ?? 0);
  return one.closes === "tool" && other.opens === "user" && changes > 1;
}

/** Why something goes that nothing stands beside any more. */
export const APART = { step: "keep-turns-whole", reason: "what it belongs to is gone" };

/**
 * Drops what no longer has a place: once anything is gone, what stands before the first request; and of a turn what would
 * say the same role in a row. Linear.
 */
export function settleRoles(draft: WorkingPlan): void {
  if (!isCut(draft)) return;
  const kept: WorkingItem[] = [];
  const isScored = draft.items.some(({ score }) => score !== undefined);
  const users = draft.items.filter(({ opens }) => opens === "user");
  const isUserKept = users.some(({ isDropped }) => !isDropped);
  // Where nobody asks, a summary or a memory leads.
  const leader = draft.items.find(({ isSilent }) => isSilent !== true);
  let hasBegun = users.length === 0 && (leader?.opens !== undefined || !leader?.isDropped);
  for (const item of draft.items) {
    if (item.isDropped) {
      // Where no user is left, a greeting goes all the same.
      hasBegun ||= !isUserKept && item.opens === "user";
      continue;
    }
    // Formats join a summary with what follows it.
    if (item.opens === undefined && item.isSilent !== true) {
      kept.push(item);
      hasBegun ||= users.length === 0;
    }
    if (item.opens === undefined) continue;
    const isLost: boolean = !hasBegun && item.opens !== "user";
    hasBegun ||= !isLost;
    if (isLost && mayDrop(item)) {
      dropWhole(draft, item, APART);
      continue;
    }
    if (item.isSilent === true) continue;
    makeWay({ draft, kept, isScored }, item);
    if (!item.isDropped) kept.push(item);
  }
}

interface Settling {
  readonly draft: WorkingPlan;
  /** What has its place, oldest first. */
  readonly kept: WorkingItem[];
  readonly isScored: boolean;
}

/** Drops the item, or what stands before it, until both have a place beside each other. */
function makeWay({ draft, kept, isScored }: Settling, item: WorkingItem): void {
  for (let last = kept.at(-1); clash(last, item); last = kept.at(-1)) {
    if (wereSentSo(draft, last, item)) return;
    const going = last && goingOf(item, last);
    if (going === undefined) return;
    for (const mate of going.unit.items) if (mate.held === "opening") mate.held = undefined;
    if (isSpare(going)) going.held = undefined;
    // Of two answers in one turn the last is its answer.
    if (going.held === undefined) dropWhole(draft, going, APART);
    else dropItem(draft, going, APART);
    // With a turn all older ones go: the conversation has no holes.
    const isAlone = going.mayGoFirst || going.held !== undefined;
    const older = isAlone || isScored ? [] : kept.filter((one) => isTold(one) && !mustStay(one));
    for (const one of older) dropWhole(draft, one, APART);
    if (item.isDropped) return;
    while (kept.at(-1)?.isDropped === true) kept.pop();
  }
}

/** Returns whether two items stood beside each other in what was sent before: only what the earlier plan dropped lies between them. */
function wereSentSo(
  { decided }: WorkingPlan,
  one: WorkingItem | undefined,
  other: WorkingItem,
): boolean {
  if (one?.wasSent !== true || !other.wasSent) return false;
  let index = one.position + one.entries.length;
  while (index < other.position) {
    const run = decided.get(index);
    if (run === undefined || !isGone(run.action)) return false;
    index += run.entryCount;
  }
  return true;
}

/** Returns whether of the turn of an item a part stays in any case: what leads to it stays with it. */
function mustStay({ unit }: WorkingItem): boolean {
  return unit.items.some((item) => !item.isDropped && (item.held === "lead" || standsHere(item)));
}

/** Which of two goes: one that may go alone, else the older with its turn, but not for the sake of what stands for itself. */
function goingOf(item: WorkingItem, last: WorkingItem): WorkingItem | undefined {
  const both = [item, last];
  if (both.some(({ protectedAs }) => protectedAs === "pinned")) {
    return both.find((one) => one.mayGoFirst && mayDrop(one));
  }
  const mayGo = (one: WorkingItem): boolean => one.mayGoFirst || one.unit.isLoose;
  return (
    both.find((one) => mayDrop(one) && mayGo(one)) ??
    [last, item].find((one) => mayDrop(one) || one.held === "opening") ??
    // Of two that lead to the same one is enough.
    both.find((one) => isSpare(one) || (one.held === "lead" && one.mayGoFirst)) ??
    [last].find((one) => one.unit === item.unit && isSaid(one))
  );
}

/** Returns whether an item is what was said so far in the turn that is being answered. */
function isSpare(item: WorkingItem): boolean {
  return item.held === "start" && item.unit.holdsQuestion && isSaid(item);
}

function isSaid({ isRequest, protectedAs, isDropped }: WorkingItem): boolean {
  return !isRequest && protectedAs === undefined && !isDropped;
}

function isTold({ opens }: WorkingItem): boolean {
  return opens !== undefined;
}
