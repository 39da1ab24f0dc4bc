import { repairHistory } from "@agent-history/core";
import type {
  Decision,
  DecisionAction,
  HistoryEntry,
  ReductionPlan,
  TokenCounter,
  Viewer,
} from "@agent-history/core";
import { editEntry, withCompaction } from "@agent-history/reducer";
import { entryText, priceOf, usageCost } from "@agent-history/transcripts";
import type { PriceTable } from "@agent-history/transcripts";

import type { PlannedCall } from "../inspection.ts";
import type {
  CallColumn,
  CellRun,
  CellState,
  DrawnDecision,
  DrawnEdit,
} from "../inspector-data.ts";
import { sentParts } from "./request-changes.ts";
import type { SentPart } from "./request-changes.ts";

/** A call before rows are ordered: its rows are numbers in the row table. */
export interface DraftCall {
  readonly call: PlannedCall;
  readonly decisions: readonly DrawnDecision[];
  readonly cells: readonly (readonly [number: number, decision: number])[];
  /** Entries whose tokens differ for the viewer of the plan. */
  readonly counts: readonly (readonly [number: number, tokens: number])[];
  readonly edits: readonly DrawnEdit[];
  readonly repairs: readonly (readonly [number: number, what: string])[];
  /** The numbers of its entries, by entry id. */
  readonly numbers: ReadonlyMap<string, number>;
  /** The parts of the prompt, in order. */
  readonly parts: readonly SentPart[];
  readonly isOther: boolean;
}

/** Computes what a call's plan did to each entry. */
export function draftCall(
  call: PlannedCall,
  log: readonly HistoryEntry[],
  counter: Pick<TokenCounter, "countEntry">,
  /** Returns the number of an entry that follows another one. */
  add: (entry: HistoryEntry, after: number | undefined) => number,
): DraftCall {
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
  // An agent's own words are sent in the assistant role, those of others in the user role, so token counts depend on the viewer.
  const counts = steps.flatMap(({ entry }, index): readonly (readonly [number, number])[] => {
    if (plan.viewer === undefined) return [];
    const tokens = counter.countEntry(entry, plan.viewer);
    return tokens === counter.countEntry(entry) ? [] : [[cells[index]?.[0] ?? 0, tokens]];
  });
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
  return { call, decisions, cells, counts, edits, repairs, numbers, parts, isOther };
}

type Gone = Pick<DrawnDecision, "state" | "step" | "reason">;

const TAKEN_OUT: Gone = {
  state: "repaired",
  step: "repair",
  reason: "Removed before the fit: a result without its call, or a duplicate.",
};

const BY_PROVIDER: Gone = {
  state: "summarized",
  step: "provider",
  reason: "Replaced by the provider's summary.",
};

function drawnOf(decision: Decision, state: CellState): DrawnDecision {
  const { action, step, reason, tokensBefore, tokensAfter, estimated } = decision;
  return {
    state,
    step,
    reason,
    tokensBefore,
    tokensAfter,
    isEstimated: estimated ? true : undefined,
    withoutReasoning: action.kind === "edit" ? action.edit.withoutReasoning : undefined,
  };
}

/** Returns the state of an entry from the action of its decision. */
function cellState(action: DecisionAction, isQuoted: boolean): CellState {
  switch (action.kind) {
    case "keep":
      return "kept";
    case "summarize":
      return "summarized";
    case "drop":
      return isQuoted ? "recalled" : "dropped";
    case "edit":
      return action.edit.clear === undefined && action.edit.clearArguments === undefined
        ? "shrunk"
        : "cleared";
  }
}

/** Returns a counter of what is left of an entry: as planned if the decision is about one entry only. */
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

/** Converts a draft to a column, once the row order is known. */
export function columnOf(
  { call, decisions, cells, counts, edits, repairs }: DraftCall,
  index: number,
  rowOf: readonly number[],
  prices: PriceTable,
): CallColumn {
  const { plan, usage, model, agent, atMs } = call;
  const inRow = <Value>([number, value]: readonly [number, Value]) =>
    [rowOf[number] ?? 0, value] as const;
  const { contextTokens, outputReserveTokens = 0, marginTokens = 0 } = plan.window;
  const price = model === undefined ? undefined : priceOf(model, prices);
  const id = call.id ?? String(index + 1);
  const { window, view, viewer, requestTokens, totalTokens, reasoning } = plan;
  const { valid, leftOut, givenUp } = reasoning ?? {};
  return {
    id,
    label: [id, agent?.id ?? viewer?.agentId, call.purpose].filter(Boolean).join(" · "),
    agent,
    model,
    atMs,
    decisions,
    runs: cellRuns(cells.map(inRow)),
    edits: edits.map((edit) => ({ ...edit, row: rowOf[edit.row] ?? 0 })),
    totalTokens,
    windowTokens: contextTokens && contextTokens - outputReserveTokens - marginTokens,
    reasoning: valid && leftOut && givenUp && { valid, leftOut, givenUp },
    repairs: repairs.length > 0 ? repairs.map(inRow) : undefined,
    usage,
    costUsd: usage && price && usageCost(usage, price),
    request: {
      window,
      view,
      viewer,
      requestTokens,
      counts: counts.length > 0 ? counts.map(inRow) : undefined,
    },
  };
}

/** Joins cells of neighboring rows with the same decision into runs, in row order. If a row has two cells, the first counts. */
export function cellRuns(
  cells: readonly (readonly [row: number, decision: number])[],
): readonly CellRun[] {
  const runs: [row: number, rows: number, decision: number][] = [];
  for (const [row, decision] of cells.toSorted(([a], [b]) => a - b)) {
    const last = runs.at(-1);
    const end = last === undefined ? -1 : last[0] + last[1];
    if (last !== undefined && row < end) continue;
    if (last !== undefined && row === end && last[2] === decision) last[1] += 1;
    else runs.push([row, 1, decision]);
  }
  return runs;
}

/** A plan's decisions, mapped to the entries that its fit received. */
interface WalkedPlan {
  /** The entries with their decisions, in prompt order. */
  readonly steps: readonly WalkedEntry[];
  /** Entries that were removed as invalid before the fit. */
  readonly repaired: readonly HistoryEntry[];
  /** Entries that a provider's summary replaced. */
  readonly compacted: readonly HistoryEntry[];
  /** Set if the plan was made for other entries; nothing is drawn then. */
  readonly isOther: boolean;
}

export interface WalkedEntry {
  readonly entry: HistoryEntry;
  readonly decision: Decision;
  /** The index of the decision in its plan. */
  readonly nth: number;
}

/** Maps each decision of a plan to its entries. `given` may have grown since the plan was made. Linear. */
function walkPlan(given: readonly HistoryEntry[], plan: ReductionPlan): WalkedPlan {
  const planned = plan.decisions.reduce((sum, { entryCount }) => sum + entryCount, 0);
  const view = withCompaction(given, plan.compaction);
  const then = view.slice(0, planned + removedBy(plan));
  const walked = plan.repairs.length === 0 ? then : repairHistory(then).entries;
  const steps: WalkedEntry[] = [];
  let index = 0;
  for (const [nth, decision] of plan.decisions.entries()) {
    const end = index + decision.entryCount;
    const [first, last] = [walked[index]?.id, walked[end - 1]?.id];
    const isHere = first === decision.from && last === decision.to;
    if (decision.entryCount > 0 && !isHere)
      return { steps: [], repaired: [], compacted: [], isOther: true };
    for (; index < end; index++) {
      const entry = walked[index];
      if (entry !== undefined) steps.push({ entry, decision, nth });
    }
  }
  const left = new Set(steps.map(({ entry }) => entry.id));
  const repaired = plan.repairs.length === 0 ? [] : then.filter(({ id }) => !left.has(id));
  const seen = new Set(view);
  const compacted = view === given ? [] : given.filter((entry) => !seen.has(entry));
  return { steps, repaired, compacted, isOther: false };
}

/** Returns the number of entries that repairs removed before the decisions, minus added ones. */
function removedBy({ repairs }: ReductionPlan): number {
  const counts: Partial<Record<string, number>> = {
    "dropped-duplicate": 1,
    "dropped-orphan": 1,
    "added-result": -1,
  };
  return repairs.reduce((sum, { kind }) => sum + (counts[kind] ?? 0), 0);
}
