import { HistoryError } from "@agent-history/core";
import type { Decision, HistoryEntry } from "@agent-history/core";

import { spareOfNewest } from "./cap-newest.ts";
import type { FitContext } from "./fit-context.ts";
import type { MaybeAsync } from "./maybe-async.ts";
import { plannedWindow } from "./planned-window.ts";
import type { UnsealedPlan } from "./seal-plan.ts";
import { currentEntry } from "./working-plan.ts";
import type { WorkingPlan, WorkingItem } from "./working-plan.ts";

/** Writes a draft down as a plan. */
export function* finishWorkingPlan(
  draft: WorkingPlan,
  context: FitContext,
): MaybeAsync<UnsealedPlan> {
  yield* requireFit(draft, context);
  const { entries, items, repaired } = draft;
  const average = averageTokens(items);
  const decisions: Decision[] = [];
  let next = 0;
  for (const item of items) {
    passOver(item.position);
    next += item.entries.length;
    for (const entry of item.entries)
      addDecision(decisions, yield* decisionOf(item, entry, context));
  }
  passOver(entries.length);
  const { counter, viewer } = context.options;
  return {
    counterId: counter.id,
    window: plannedWindow(context.options.window),
    view: context.view,
    ...(viewer?.agentId !== undefined && { viewer: { agentId: viewer.agentId } }),
    repairs: repaired.repairs,
    repairedFrom: repaired.repairedFrom,
    decisions,
    settledUntil: items.find(({ isRunning }) => isRunning)?.position ?? entries.length,
    requestTokens: context.requestTokens,
    totalTokens: context.requestTokens + draft.total,
    ...(draft.skipped.length > 0 && { skipped: draft.skipped }),
  };

  /** Adds what was decided earlier of entries that no item covers. */
  function passOver(index: number): void {
    while (next < index) {
      const decision =
        draft.decided.get(next) ?? beyondHorizon(entries.slice(next, index), average);
      addDecision(decisions, decision);
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

/** Adds a decision, joined with the one before where both say the same. */
export function addDecision(decisions: Decision[], decision: Decision): void {
  const last = decisions.at(-1);
  if (last === undefined || !saysTheSame(last, decision)) {
    decisions.push(decision);
    return;
  }
  decisions[decisions.length - 1] = {
    ...decision,
    from: last.from,
    entryCount: last.entryCount + decision.entryCount,
    tokensBefore: last.tokensBefore + decision.tokensBefore,
    tokensAfter: last.tokensAfter + decision.tokensAfter,
  };
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

/** Says that an entry is kept as it is. */
export function keepDecision(entry: HistoryEntry, tokens: number, protectedAs?: string): Decision {
  return {
    from: entry.id,
    to: entry.id,
    entryCount: 1,
    action: { kind: "keep" },
    step: protectedAs === undefined ? "keep" : "protect",
    reason: protectedAs ?? "fits",
    tokensBefore: tokens,
    tokensAfter: tokens,
  };
}

function* decisionOf(
  item: WorkingItem,
  entry: HistoryEntry,
  { count }: FitContext,
): MaybeAsync<Decision> {
  const isWhole = !item.isDropped && !item.edits.has(entry);
  const guess = isWhole ? undefined : item.guesses?.get(entry);
  const kept = {
    ...keepDecision(entry, guess?.tokens ?? (yield* count(entry)), item.protectedAs),
    ...(guess !== undefined && ESTIMATED),
  };
  if (item.isDropped) {
    const { at, ...summarized } = item.summary ?? {};
    return { ...kept, ...item.because, ...DROPPED, ...(at === entry && summarized) };
  }
  const made = item.edits.get(entry);
  if (made === undefined) return kept;
  const tokensAfter = yield* count(currentEntry(item, entry));
  return { ...kept, action: { kind: "edit", edit: made.edit }, ...made.because, tokensAfter };
}

const ESTIMATED = { estimated: true } as const;

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
