import { newestToShorten } from "./cap-newest.ts";
import { dropItem, dropWhole } from "./drop-items.ts";
import type { FitContext } from "./fit-context.ts";
import type { MaybeAsync } from "./maybe-async.ts";
import { shortenItems } from "./shorten-items.ts";
import type { WorkingPlan, WorkingItem } from "./working-plan.ts";

/** Why something goes that is held back. */
export const BECAUSE = { step: "fit", reason: "nothing else is left to give" };
/** Why an answer goes though its request stays: while that is being answered. */
export const FOR_QUESTION = {
  step: "keep-question",
  reason: "there is room for the question alone",
};

/** Drops the opening, where more is used than there is. */
export function dropOpening(draft: WorkingPlan, { budget }: FitContext): void {
  for (const item of draft.items) {
    if (draft.total <= budget) return;
    if (item.held !== "opening") continue;
    for (const mate of item.unit.items) if (mate.held === "opening") mate.held = undefined;
    dropWhole(draft, item, BECAUSE);
  }
}

/**
 * Shortens what belongs to something protected, where more is used than there is. Where that is not enough its lesser half goes, and so on; before
 * anything of the turn of the question, the answer to the request that the prompt begins with, where the request leads to something else.
 */
export function* shortenHeld(draft: WorkingPlan, context: FitContext): MaybeAsync<void> {
  while (draft.total > context.budget) {
    const newest = newestToShorten(draft, context);
    const items = draft.items.filter(
      (item) =>
        (item.held === "start" || item.held === "lead" || item === newest) && !item.isDropped,
    );
    const room = items.reduce((sum, { tokens }) => sum + tokens, context.budget - draft.total);
    if (yield* shortenItems({ draft, context }, items, { room, because: BECAUSE })) break;
    const open = items.filter(({ held }) => held === "start");
    const answers = open.every(({ unit }) => unit.holdsQuestion) ? items.filter(isLedBy) : [];
    const least = open.reduce((rank, item) => Math.min(rank, rankOf(item)), Infinity);
    const lesser = open.filter((item) => rankOf(item) === least);
    if (answers.length === 0 && lesser.length === 0) break;
    for (const answer of answers) dropItem(draft, answer, BECAUSE);
    if (answers.length > 0) continue;
    for (const item of lesser.slice(0, Math.ceil(lesser.length / 2))) dropHeldItem(draft, item);
  }
}

/** Returns whether an item answers a request that leads to something protected. */
export function isLedBy({ held, opens, unit }: WorkingItem): boolean {
  const isPinned = unit.items.some(({ protectedAs }) => protectedAs === "pinned");
  return held === "lead" && opens === "assistant" && isPinned;
}

/** Drops what is held back; outside the turn of the question with its turn. */
function dropHeldItem(draft: WorkingPlan, item: WorkingItem): void {
  if (item.isDropped) return;
  const { holdsQuestion, items } = item.unit;
  for (const mate of holdsQuestion ? [item] : items) {
    if (mate.held === "start") mate.held = undefined;
  }
  dropWhole(draft, item, holdsQuestion ? FOR_QUESTION : BECAUSE);
}

/** What of a turn goes first: what keeps roles apart, then its answer, then its request; older before newer. */
function rankOf({ isRequest, unit, entries: [entry] }: WorkingItem): number {
  if (unit.holdsQuestion && entry?.type === "user_message") return 2;
  return isRequest || !unit.holdsQuestion ? 0 : 1;
}
