import type {
  Decision,
  HistoryEntry,
  PlannedReasoning,
  TokenCounter,
  Viewer,
} from "@agent-history/core";
import { editEntry } from "@agent-history/reducer";
import { entryText, priceOf, usageCost } from "@agent-history/transcripts";
import type { PriceTable } from "@agent-history/transcripts";

import type { PlannedCall } from "../inspection.ts";
import type { CallColumn, CellState, DrawnDecision, DrawnEdit } from "../inspector-data.ts";
import { cellRuns } from "./cell-runs.ts";
import { cellState } from "./cell-state.ts";
import type { SentRequest } from "./compare-requests.ts";
import { sentParts } from "./sent-parts.ts";
import { walkPlan } from "./walk-plan.ts";
import type { WalkedEntry } from "./walk-plan.ts";

/** A call before the rows are in their order: rows are numbers of the table. */
export interface DraftCall {
  readonly call: PlannedCall;
  readonly decisions: readonly DrawnDecision[];
  readonly cells: readonly (readonly [number: number, decision: number])[];
  /** What counts otherwise for the viewer of the plan. */
  readonly counts: readonly (readonly [number: number, tokens: number])[];
  readonly edits: readonly DrawnEdit[];
  readonly repairs: readonly (readonly [number: number, what: string])[];
  /** The numbers of its entries, by id. */
  readonly numbers: ReadonlyMap<string, number>;
  readonly sent: SentRequest;
  readonly isOther: boolean;
}

export interface DraftContext {
  readonly log: readonly HistoryEntry[];
  readonly counter: Pick<TokenCounter, "countEntry">;
  /** Numbers an entry that stands behind another. */
  readonly add: (entry: HistoryEntry, after: number | undefined) => number;
}

/** Says what a call's plan did to each entry. */
export function draftCall(call: PlannedCall, { log, counter, add }: DraftContext): DraftCall {
  const { plan } = call;
  const { steps, repaired, compacted, isOther } = walkPlan(call.entries ?? log, plan);
  const quoted = new Set(
    [plan.head, ...(plan.recalls ?? [])].flatMap((block) => block?.quotes ?? []),
  );
  const decisions: DrawnDecision[] = [];
  const indexes = new Map<string, number>();
  const indexOf = (decision: DrawnDecision, key: string): number => {
    const index = indexes.get(key) ?? decisions.push(decision) - 1;
    indexes.set(key, index);
    return index;
  };
  const cells: (readonly [number, number])[] = [];
  const edits: DrawnEdit[] = [];
  const tokensOf = tokenMeter(counter, plan.viewer);
  let last: number | undefined;
  for (const step of steps) {
    const { entry, decision, nth } = step;
    const state = cellState(decision.action, quoted.has(entry.id));
    const drawn = drawnOf(decision, state);
    const key = `${nth} ${state}`;
    last = add(entry, last);
    cells.push([last, indexOf(drawn, key)]);
    if (decision.action.kind === "edit") {
      const text = entryText(editEntry(entry, decision.action.edit));
      edits.push({ row: last, text, tokens: tokensOf(step) });
    }
  }
  const counts = viewerCounts(steps, { counter, viewer: plan.viewer }).map(
    ([index, tokens]) => [cells[index]?.[0] ?? 0, tokens] as const,
  );
  const numbers = new Map(steps.map(({ entry }, index) => [entry.id, cells[index]?.[0] ?? 0]));
  const addGone = (some: readonly HistoryEntry[], why: Gone): void => {
    const drawn = { ...why, tokensBefore: 0, tokensAfter: 0 };
    for (const entry of some) cells.push([add(entry, last), indexOf(drawn, why.step)]);
  };
  addGone(repaired, TAKEN_OUT);
  addGone(compacted, BY_PROVIDER);
  const repairs = plan.repairs.flatMap(({ entryId, rule, kind }) => {
    const number = numbers.get(entryId);
    return number === undefined ? [] : [[number, rule ?? kind] as const];
  });
  const parts = sentParts(plan, steps, tokensOf);
  const { requestTokens, totalTokens } = plan;
  return {
    call,
    decisions,
    cells,
    counts,
    edits,
    repairs,
    numbers,
    sent: { parts, requestTokens, totalTokens },
    isOther,
  };
}

type Gone = Pick<DrawnDecision, "state" | "step" | "reason">;

const TAKEN_OUT: Gone = {
  state: "repaired",
  step: "repair",
  reason: "Taken out before the fit: a result without its call, or a copy.",
};

const BY_PROVIDER: Gone = {
  state: "summarized",
  step: "provider",
  reason: "The provider wrote a summary of it.",
};

function drawnOf(decision: Decision, state: CellState): DrawnDecision {
  const { action, step, reason, tokensBefore, tokensAfter, estimated } = decision;
  const { withoutReasoning } = action.kind === "edit" ? action.edit : {};
  return {
    state,
    step,
    reason,
    tokensBefore,
    tokensAfter,
    ...(estimated && { isEstimated: true }),
    ...(withoutReasoning && { withoutReasoning }),
  };
}

/** The steps whose entries count otherwise for a viewer than for nobody: an agent's own words are an assistant's, others' a user's. */
function viewerCounts(
  steps: readonly WalkedEntry[],
  {
    counter,
    viewer,
  }: {
    readonly counter: Pick<TokenCounter, "countEntry">;
    readonly viewer: Viewer | undefined;
  },
): readonly (readonly [index: number, tokens: number])[] {
  if (viewer === undefined) return [];
  return steps.flatMap(({ entry }, index) => {
    const tokens = counter.countEntry(entry, viewer);
    return tokens === counter.countEntry(entry) ? [] : [[index, tokens] as const];
  });
}

/** The tokens of what is left of an entry: as planned where its decision is about it alone. */
function tokenMeter(
  counter: Pick<TokenCounter, "countEntry">,
  viewer: Viewer | undefined,
): (step: WalkedEntry) => number {
  return ({ entry, decision }) => {
    if (decision.entryCount === 1) return decision.tokensAfter;
    const { action } = decision;
    const left = action.kind === "edit" ? editEntry(entry, action.edit) : entry;
    return counter.countEntry(left, viewer);
  };
}

/** Makes a column of a draft, once rows have their order. */
export function columnOf(
  { call, decisions, cells, counts, edits, repairs }: DraftCall,
  {
    index,
    rowOf,
    prices,
  }: { readonly index: number; readonly rowOf: readonly number[]; readonly prices: PriceTable },
): CallColumn {
  const { plan, usage, model } = call;
  const row = (number: number): number => rowOf[number] ?? 0;
  const { contextTokens, outputReserveTokens = 0, marginTokens = 0 } = plan.window;
  const price = model === undefined ? undefined : priceOf(model, prices);
  const agent = call.agent;
  const id = call.id ?? String(index + 1);
  return {
    id,
    label: [id, agent?.id ?? plan.viewer?.agentId, call.purpose].filter(Boolean).join(" · "),
    ...(agent && { agent }),
    ...(model !== undefined && { model }),
    ...(call.atMs !== undefined && { atMs: call.atMs }),
    decisions,
    runs: cellRuns(cells.map(([number, decision]) => [row(number), decision])),
    edits: edits.map((edit) => ({ ...edit, row: row(edit.row) })),
    totalTokens: plan.totalTokens,
    ...(contextTokens !== undefined && {
      windowTokens: contextTokens - outputReserveTokens - marginTokens,
    }),
    ...(plan.reasoning && { reasoning: countsOf(plan.reasoning) }),
    ...(repairs.length > 0 && { repairs: repairs.map(([number, what]) => [row(number), what]) }),
    ...(usage && { usage }),
    ...(usage && price && { costUsd: usageCost(usage, price) }),
    request: {
      window: plan.window,
      view: plan.view,
      ...(plan.viewer && { viewer: plan.viewer }),
      requestTokens: plan.requestTokens,
      ...(counts.length > 0 && { counts: counts.map(([number, tokens]) => [row(number), tokens]) }),
    },
  };
}

function countsOf({
  valid,
  leftOut,
  givenUp,
}: PlannedReasoning): NonNullable<CallColumn["reasoning"]> {
  return { valid, leftOut, givenUp };
}
