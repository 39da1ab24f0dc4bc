import { HistoryError, mendHistory } from "@agent-history/core";
import type { HistoryEntry, ReductionPlan, Repair } from "@agent-history/core";

import { editEntry } from "../edit-entry.ts";
import { itemsOf } from "./draft.ts";
import type { Draft, DraftItem, Gap } from "./draft.ts";
import type { Request } from "./request.ts";
import { byWorth, scoreItems } from "./score-items.ts";
import type { Task } from "./task.ts";

/** How many windows are looked at, walking backward. */
const HORIZON = 2;

/** Drafts a plan of a whole history: what lies beyond the horizon is dropped uncounted, unless it is protected or the scorer finds it. */
export function* draftHistory(
  given: readonly HistoryEntry[],
  request: Request,
  sentUntil: number,
): Task<Draft> {
  const { entries, repairs } = mendHistory(given);
  refuseSharedIds(repairs);
  const { items, question } = itemsOf(entries, (index) => index, sentUntil);
  const draft: Draft = { entries, repairs, items, gaps: [], question, total: 0 };
  for (const item of items) if (item.isProtected) yield* countItem(draft, item, request);
  yield* scoreItems(items, question, request);
  yield* countWithin(draft, request, items.toReversed());
  if (request.options.scorer !== undefined) yield* countWithin(draft, request, byWorth(items));
  for (const item of items) {
    if (item.counted !== undefined) continue;
    item.isDropped = true;
    item.because = { step: "horizon", reason: "lies further back than two windows" };
  }
  return draft;
}

/** Copies are dropped; but where two entries bear one id, nobody can tell which a plan is about. */
function refuseSharedIds(repairs: readonly Repair[]): void {
  const renamed = repairs.filter(({ kind }) => kind === "renamed-duplicate");
  if (renamed.length === 0) return;
  throw new HistoryError(
    `${renamed.length} entries bear the id of another entry. Give each its own, or call mendHistory first.`,
    { code: "DUPLICATE_ID", details: { count: renamed.length } },
  );
}

/** Counts items, in order, until twice the budget is looked at. */
function* countWithin(draft: Draft, request: Request, order: readonly DraftItem[]): Task<void> {
  let reach = request.budget * HORIZON;
  for (const item of order) {
    if (reach <= 0) return;
    if (item.counted === undefined) yield* countItem(draft, item, request);
    // What can never fit must not hide what lies before it.
    if (item.tokens <= request.budget) reach -= item.tokens;
  }
}

/** Drafts a plan from what an earlier one kept and what came since. */
export function* draftFromPlan(
  entries: readonly HistoryEntry[],
  plan: ReductionPlan,
  request: Request,
): Task<Draft> {
  const gaps: Gap[] = [];
  const places: number[] = [];
  const edits = new Map<number, ReductionPlan["decisions"][number]>();
  let place = 0;
  for (const decision of plan.decisions) {
    const { action, entryCount } = decision;
    if (action.kind === "keep" || action.kind === "edit") {
      for (let offset = 0; offset < entryCount; offset++) places.push(place + offset);
      if (action.kind === "edit") edits.set(place, decision);
    } else gaps.push({ place, decision });
    place += entryCount;
  }
  for (let next = place; next < entries.length; next++) places.push(next);

  const live = places.flatMap((index) => entries[index] ?? []);
  const { items, question } = itemsOf(live, (index) => places[index] ?? 0, place);
  const draft: Draft = { entries, repairs: plan.repairs, items, gaps, question, total: 0 };
  for (const { decision } of gaps) draft.total += decision.tokensAfter;
  for (const item of items) {
    for (const [offset, entry] of item.entries.entries()) {
      const decision = edits.get(item.place + offset);
      if (decision?.action.kind !== "edit") continue;
      const because = { step: decision.step, reason: decision.reason };
      item.edits.set(entry, { edit: decision.action.edit, because });
    }
    yield* countItem(draft, item, request);
  }
  return draft;
}

/** Counts an item as it came and as it is now, and adds it to the total. */
export function* countItem(draft: Draft, item: DraftItem, request: Request): Task<void> {
  item.counted = 0;
  item.tokens = 0;
  for (const entry of item.entries) {
    const tokens = yield* request.count(entry);
    item.counted += tokens;
    const made = item.edits.get(entry);
    item.tokens += made === undefined ? tokens : yield* request.count(editEntry(entry, made.edit));
  }
  draft.total += item.tokens;
}
