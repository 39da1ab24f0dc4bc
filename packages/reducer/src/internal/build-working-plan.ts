import { HistoryError } from "@agent-history/core";
import type { Decision, HistoryEntry, ReductionPlan } from "@agent-history/core";

import type { Continuation } from "./continue-plan.ts";
import { findHorizon } from "./find-horizon.ts";
import type { Horizon } from "./find-horizon.ts";
import type { FitContext } from "./fit-context.ts";
import { formUnits } from "./form-units.ts";
import { guessItem, guessText, knownTokens, mayGuess } from "./guess-items.ts";
import type { MaybeAsync } from "./maybe-async.ts";
import { holdBack } from "./opening.ts";
import { repairFrom, newestOf } from "./repair-as-planned.ts";
import { byWorth, scoreItems } from "./score-items.ts";
import { itemsAt } from "./working-items.ts";
import { addSize, currentEntry, isGone, setEdit } from "./working-plan.ts";
import type { WorkingPlan, WorkingItem, Unit } from "./working-plan.ts";

/**
 * Drafts a plan of a history. Looks at its end, this many windows of it, and at what may not be dropped; a scorer looks at all, and what
 * it finds is counted.
 *
 * @param unsent - How many of the last entries the call before did not have.
 */
export function* newWorkingPlan(
  given: readonly HistoryEntry[],
  context: FitContext,
  unsent: number,
  windows: number,
): MaybeAsync<WorkingPlan> {
  const horizon = yield* findHorizon(given, context, windows);
  const { entries, repairs } = repairFrom(given, horizon.from);
  const repaired = { repairs, repairedFrom: horizon.from };
  const { length: count } = repairs.filter(({ kind }) => kind === "renamed-duplicate");
  // Copies are dropped; but where two entries bear one id, nobody can tell which a plan is about.
  if (count > 0) {
    throw new HistoryError(
      `${count} entries have the id of another entry. Give each its own, or call repairHistory first.`,
      { code: "DUPLICATE_ID", details: { count } },
    );
  }
  const sentUntil = entries.length - unsent;
  return yield* openWorkingPlan(
    {
      entries,
      newest: newestOf(given, entries, horizon.from),
      repaired,
      decisions: [],
      sentUntil,
      ...horizon,
    },
    context,
    windows,
  );
}

/** Drafts a plan from what an earlier one kept and what came since. */
export function* workingPlanFrom(
  {
    given,
    entries,
    plan,
    planned: sentUntil,
  }: Continuation & { readonly given: readonly HistoryEntry[] },
  context: FitContext,
): MaybeAsync<WorkingPlan> {
  const { decisions } = plan;
  const newest = newestOf(given, entries, plan.repairedFrom);
  const beginning = { entries, newest, repaired: plan, decisions, sentUntil, from: 0, fixed: [] };
  return yield* openWorkingPlan(beginning, context, Infinity);
}

/** What a draft begins with. */
interface Beginning
  extends
    Horizon,
    Pick<WorkingPlan, "entries" | "repaired" | "newest">,
    Pick<ReductionPlan, "decisions"> {
  /** How many of the first entries the call before sent. */
  readonly sentUntil: number;
}

/** What a draft is made of: the indexes of what decisions keep and of what came since, and the decisions by the indexes where their runs begin. */
function keptIndexes({
  entries,
  decisions,
  from,
  fixed,
}: Pick<Beginning, "entries" | "decisions" | keyof Horizon>): {
  readonly indexes: readonly number[];
  readonly decided: ReadonlyMap<number, Decision>;
  readonly tokensOfSummaries: number;
} {
  const indexes = [...fixed];
  const decided = new Map<number, Decision>();
  let tokensOfSummaries = 0;
  let index = from;
  for (const decision of decisions) {
    decided.set(index, decision);
    const end = index + decision.entryCount;
    if (isGone(decision.action)) {
      tokensOfSummaries += decision.tokensAfter;
      index = end;
    }
    for (; index < end; index++) indexes.push(index);
  }
  for (; index < entries.length; index++) indexes.push(index);
  return { indexes, decided, tokensOfSummaries };
}

function* openWorkingPlan(
  beginning: Beginning,
  context: FitContext,
  windows: number,
): MaybeAsync<WorkingPlan> {
  const { entries, repaired, sentUntil, newest } = beginning;
  const { indexes, decided, tokensOfSummaries } = keptIndexes(beginning);
  let total = tokensOfSummaries;
  const { viewer } = context.options;
  const { items: all, question } = itemsAt(indexes, entries, { sentUntil, viewer, newest });
  const units = formUnits(all, entries, { viewer, question });
  holdBack({ units, items: all, newest }, entries, context.options);
  for (const item of all) takeUpEdits(item, decided);
  const items = yield* countLooked({ items: all, units, question }, context, windows);
  const itemOf = new Map<HistoryEntry, WorkingItem>();
  for (const item of items) {
    total += item.tokens;
    for (const entry of item.entries) itemOf.set(entry, item);
  }
  return { entries, repaired, decided, items, itemOf, units, question, newest, skipped: [], total };
}

/** Counts what is looked at, and leaves the rest out: by an earlier plan nothing. */
function* countLooked(
  { items, units, question }: Pick<WorkingPlan, "items" | "units" | "question">,
  context: FitContext,
  windows: number,
): MaybeAsync<readonly WorkingItem[]> {
  const isFixed = ({ protectedAs, held }: WorkingItem): boolean =>
    windows === Infinity || protectedAs !== undefined || held !== undefined;
  yield* countItems(items.filter(isFixed), context, windows);
  if (windows === Infinity) return items;
  yield* scoreItems(items, question, context);
  yield* countWithin(items.toReversed(), context, windows);
  yield* countWithin(byWorth(items), context, windows);
  const isCounted = ({ counted }: WorkingItem): boolean => counted !== undefined;
  for (const unit of units) unit.items = unit.items.filter(isCounted);
  return items.filter(isCounted);
}

/** Makes the edits that an earlier plan made of an item. */
function takeUpEdits(item: WorkingItem, decided: WorkingPlan["decided"]): void {
  let { position } = item;
  for (const entry of item.entries) {
    const decision = decided.get(position);
    position += 1;
    if (decision?.action.kind !== "edit") continue;
    const { action, step, reason } = decision;
    setEdit(item, entry, { edit: action.edit, because: { step, reason } });
  }
}

/** Counts items, in order, until this many windows are looked at. */
function* countWithin(
  order: readonly WorkingItem[],
  context: FitContext,
  windows: number,
): MaybeAsync<void> {
  let reach = Math.max(context.budget, 1) * windows;
  const known = new Set<Unit>();
  for (const item of order) {
    if (reach <= 0) return;
    if (item.counted === undefined) yield* countItems([item], context, windows);
    if (!known.has(item.unit)) yield* countCore(item, context, windows);
    known.add(item.unit);
    // What can never fit must not hide what lies before it.
    const looked = knownTokens(item, true);
    if (looked <= context.budget) reach -= looked;
  }
}

/** Counts request and answer of a turn that is looked at in part. */
function* countCore(looked: WorkingItem, context: FitContext, windows: number): MaybeAsync<void> {
  for (const item of looked.unit.items) {
    if (item.mayGoFirst || item.counted !== undefined) continue;
    if (mayGuess(item)) guessItem(item, looked);
    else yield* countItems([item], context, windows);
  }
}

/** Counts items as they came and as they are now; of long texts, where they may be shortened, the ends only. */
function* countItems(
  items: readonly WorkingItem[],
  context: FitContext,
  windows: number,
): MaybeAsync<void> {
  const { count, countNow } = context;
  for (const item of items) {
    item.counted = 0;
    for (const entry of item.entries) {
      if (windows !== Infinity && (yield* guessText(item, entry, context))) continue;
      const tokens = countNow(entry) ?? (yield* count(entry));
      const current = currentEntry(item, entry);
      item.counted += tokens;
      const size = current === entry ? tokens : (countNow(current) ?? (yield* count(current)));
      addSize(item, entry, size);
    }
  }
}

/** Returns whether what was looked at may hold a copy of an entry that was not: the copy would be dropped. */
export function hidesCopy({ entries, repaired: { repairedFrom } }: WorkingPlan): boolean {
  const ids = new Set(entries.slice(repairedFrom).map(({ id }) => id));
  return entries.slice(0, repairedFrom).some(({ id }) => ids.has(id));
}
