import { HistoryError } from "@agent-history/core";
import type { Decision, HistoryEntry, ReductionPlan } from "@agent-history/core";

import { editEntry } from "../edit-entry.ts";
import type { Draft, DraftItem, Gap } from "./draft.ts";
import type { Request } from "./request.ts";
import type { Task } from "./task.ts";

/** Writes a draft down as a plan. */
export function* planOfDraft(draft: Draft, request: Request): Task<ReductionPlan> {
  requireFit(draft, request);
  const average = averageTokens(draft);
  const decisions = runs();
  const pieces: (DraftItem | Gap)[] = [...draft.items, ...draft.gaps].toSorted(
    (one, other) => one.place - other.place,
  );
  for (const piece of pieces) {
    if ("decision" in piece) decisions.add(piece.decision);
    else if (piece.isDropped) decisions.add(decisionOfDropped(piece, average));
    else
      for (const entry of piece.entries)
        decisions.add(yield* decisionOfEntry(piece, entry, request));
  }
  const running = draft.items.find(({ isRunning }) => isRunning);
  return {
    counterId: request.options.counter.id,
    window: request.options.window,
    view: request.view,
    repairs: draft.repairs,
    decisions: decisions.all,
    settledUntil: running?.place ?? draft.entries.length,
    requestTokens: request.requestTokens,
    totalTokens: request.requestTokens + draft.total,
  };
}

function requireFit(draft: Draft, request: Request): void {
  if (draft.total <= request.budget) return;
  const { outputReserveTokens = 0, marginTokens = 0, contextTokens } = request.options.window;
  const required = draft.total + request.requestTokens + outputReserveTokens + marginTokens;
  throw new HistoryError(
    `What must be kept needs ${required} tokens, but the window has ${contextTokens}. Shorten the system messages or the question, unpin entries, keep less free, or use a larger window.`,
    {
      code: "WINDOW_TOO_SMALL",
      details: { required, available: contextTokens, protected: draft.total },
    },
  );
}

/** Joins neighbouring decisions that say the same. */
export function runs(start: readonly Decision[] = []): {
  readonly all: readonly Decision[];
  readonly add: (decision: Decision) => void;
} {
  const all = [...start];
  return {
    all,
    add: (decision) => {
      const last = all.at(-1);
      if (last === undefined || !saysTheSame(last, decision)) {
        all.push(decision);
        return;
      }
      all[all.length - 1] = {
        ...last,
        to: decision.to,
        entryCount: last.entryCount + decision.entryCount,
        tokensBefore: last.tokensBefore + decision.tokensBefore,
        tokensAfter: last.tokensAfter + decision.tokensAfter,
      };
    },
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

function* decisionOfEntry(item: DraftItem, entry: HistoryEntry, request: Request): Task<Decision> {
  const tokens = yield* request.count(entry);
  const kept = keepDecision(entry, tokens, item.protectedAs);
  const made = item.edits.get(entry);
  if (made === undefined) return kept;
  const tokensAfter = yield* request.count(editEntry(entry, made.edit));
  return { ...kept, action: { kind: "edit", edit: made.edit }, ...made.because, tokensAfter };
}

function decisionOfDropped(item: DraftItem, average: number): Decision {
  const run = {
    from: item.entries[0]?.id ?? "",
    to: item.entries.at(-1)?.id ?? "",
    entryCount: item.entries.length,
    ...(item.because ?? { step: "drop", reason: "dropped" }),
  };
  if (item.summary !== undefined) {
    const { entry, tokens } = item.summary;
    const action = { kind: "summarise", summary: entry } as const;
    return { ...run, action, tokensBefore: item.counted ?? 0, tokensAfter: tokens };
  }
  const dropped = { ...run, action: { kind: "drop" }, tokensAfter: 0 } as const;
  return item.counted === undefined
    ? { ...dropped, tokensBefore: average * item.entries.length, estimated: true }
    : { ...dropped, tokensBefore: item.counted };
}

function averageTokens(draft: Draft): number {
  const counted = draft.items.filter((item) => item.counted !== undefined);
  const entries = counted.reduce((sum, item) => sum + item.entries.length, 0);
  const tokens = counted.reduce((sum, item) => sum + (item.counted ?? 0), 0);
  return entries === 0 ? 0 : Math.round(tokens / entries);
}
