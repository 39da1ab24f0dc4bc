import { HistoryError } from "@agent-history/core";
import type { Decision, HistoryEntry } from "@agent-history/core";

import { spareOfNewest } from "./cap-newest.ts";
import type { FitContext } from "./fit-context.ts";
import type { MaybeAsync } from "./maybe-async.ts";
import { plannedWindow } from "./planned-window.ts";
import type { Own, UnsealedPlan } from "./seal-plan.ts";
import { sizeOf } from "./working-plan.ts";
import type { WorkingPlan, WorkingItem } from "./working-plan.ts";

/** Writes a draft down as a plan. */
export function* finishWorkingPlan(
  draft: WorkingPlan,
  context: FitContext,
): MaybeAsync<UnsealedPlan> {
  yield* requireFit(draft, context);
  const { entries, items, repaired } = draft;
  const average = averageTokens(items);
  const decisions: OwnDecision[] = [];
  let next = 0;
  for (let nth = 0; nth < items.length; nth++) {
    const item = items[nth];
    if (item === undefined) continue;
    passOver(item.position);
    next += item.entries.length;
    const alike = decidedAlike(item);
    if (alike !== undefined) {
      addDecision(decisions, alike);
      continue;
    }
    for (const entry of item.entries) {
      const known = guessOf(item, entry) ?? context.countNow(entry);
      const tokens = known ?? (yield* context.count(entry));
      addDecision(decisions, decisionOf(item, entry, tokens));
    }
  }
  passOver(entries.length);
  const { counter, viewer } = context.options;
  // The fields in the order of a plan that continues: engines read objects of one shape faster.
  const plan: Own<UnsealedPlan> = {
    counterId: counter.id,
    window: plannedWindow(context.options.window),
    view: context.view,
    requestTokens: context.requestTokens,
    repairs: repaired.repairs,
    repairedFrom: repaired.repairedFrom,
    decisions,
    settledUntil: items.find(({ isRunning }) => isRunning)?.position ?? entries.length,
    totalTokens: context.requestTokens + draft.total,
  };
  if (viewer?.agentId !== undefined) plan.viewer = { agentId: viewer.agentId };
  if (draft.skipped.length > 0) plan.skipped = draft.skipped;
  return plan;

  /** Adds what was decided earlier of entries that no item covers. */
  function passOver(index: number): void {
    while (next < index) {
      const decision =
        draft.decided.get(next) ?? beyondHorizon(entries.slice(next, index), average);
      addDecision(decisions, { ...decision });
      next += decision.entryCount;
    }
  }
}

function* requireFit(draft: WorkingPlan, context: FitContext): MaybeAsync<void> {
  const { budget, options } = context;
  if (draft.total <= budget) return;
  const { contextTokens: available } = options.window;
  const total = draft.total - (yield* spareOfNewest(draft, context));
  const required = total + available - budget;
  throw new HistoryError(
    `The protected entries need ${required} tokens; the context window has ${available}. Shorten system messages or the question, unpin entries, reserve less, or use a larger window.`,
    { code: "WINDOW_TOO_SMALL", details: { required, available, protected: total } },
  );
}

/** A decision that nobody else holds yet. */
export type OwnDecision = Own<Decision>;

/** Adds a decision; where the one before says the same, that one grows. */
export function addDecision(decisions: OwnDecision[], decision: OwnDecision): void {
  const last = decisions.at(-1);
  if (last === undefined || !saysTheSame(last, decision)) {
    decisions.push(decision);
    return;
  }
  last.to = decision.to;
  last.entryCount += decision.entryCount;
  last.tokensBefore += decision.tokensBefore;
  last.tokensAfter += decision.tokensAfter;
}

function saysTheSame(one: Decision, other: Decision): boolean {
  const isPlain = one.action.kind === "keep" || one.action.kind === "drop";
  return (
    isPlain &&
    one.action.kind === other.action.kind &&
    one.step === other.step &&
    one.reason === other.reason &&
    one.estimated === other.estimated
  );
}

const KEEP = { kind: "keep" } as const;

/** Says that an entry is kept as it is. */
export function keepDecision(
  entry: HistoryEntry,
  tokens: number,
  protectedAs?: string,
): OwnDecision {
  return {
    from: entry.id,
    to: entry.id,
    entryCount: 1,
    action: KEEP,
    step: protectedAs === undefined ? "keep" : "protect",
    reason: protectedAs ?? "fits",
    tokensBefore: tokens,
    tokensAfter: tokens,
  };
}

/** The decision about all entries of an item that is kept as it came, or dropped: of nearly every one. */
function decidedAlike(item: WorkingItem): OwnDecision | undefined {
  const { entries, counted = 0, isDropped, because, protectedAs } = item;
  const [first] = entries;
  const last = entries.at(-1);
  const isAlike =
    (item.guesses?.size ?? 0) === 0 &&
    item.summary === undefined &&
    (isDropped || (item.edits?.size ?? 0) === 0);
  if (first === undefined || last === undefined || !isAlike) return undefined;
  const decision = keepDecision(last, counted, protectedAs);
  decision.from = first.id;
  decision.entryCount = entries.length;
  if (!isDropped) return decision;
  decision.action = DROPPED.action;
  decision.tokensAfter = DROPPED.tokensAfter;
  decision.step = because?.step ?? decision.step;
  decision.reason = because?.reason ?? decision.reason;
  return decision;
}

function decisionOf(item: WorkingItem, entry: HistoryEntry, tokens: number): OwnDecision {
  const made = item.isDropped ? undefined : item.edits?.get(entry);
  const decision = keepDecision(entry, tokens, item.protectedAs);
  if (guessOf(item, entry) !== undefined) decision.estimated = true;
  const because = item.isDropped ? item.because : made?.because;
  if (because !== undefined) {
    decision.step = because.step;
    decision.reason = because.reason;
  }
  if (item.isDropped) {
    const { action, tokensAfter } = item.summary?.at === entry ? item.summary : DROPPED;
    decision.action = action;
    decision.tokensAfter = tokensAfter;
  } else if (made !== undefined) {
    decision.action = { kind: "edit", edit: made.edit };
    decision.tokensAfter = sizeOf(item, entry);
  }
  return decision;
}

/** What is guessed of an entry of which less is sent. */
function guessOf(item: WorkingItem, entry: HistoryEntry): number | undefined {
  const isWhole = !item.isDropped && item.edits?.get(entry) === undefined;
  return isWhole ? undefined : item.guesses?.get(entry)?.tokens;
}

const DROPPED = { action: { kind: "drop" }, tokensAfter: 0 } as const;

/** Drops uncounted what was not looked at. */
function beyondHorizon(run: readonly HistoryEntry[], average: number): Decision {
  return {
    from: run[0]?.id ?? "",
    to: run.at(-1)?.id ?? "",
    entryCount: run.length,
    ...DROPPED,
    step: "horizon",
    reason: "lies too far back",
    tokensBefore: average * run.length,
    estimated: true,
  };
}

function averageTokens(items: readonly WorkingItem[]): number {
  let tokens = 0;
  let count = 0;
  for (const { counted = 0, entries } of items) {
    tokens += counted;
    count += entries.length;
  }
  return Math.round(tokens / Math.max(count, 1));
}
