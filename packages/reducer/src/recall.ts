import type {
  findQuestion,
  HistoryEntry,
  PlanContinuation,
  ReductionPlan,
  RelevanceScorer,
} from "@agent-history/core";

import type { Continuation } from "./internal/continue-plan.ts";
import type { FitContext } from "./internal/fit-context.ts";
import type { MaybeAsync } from "./internal/maybe-async.ts";
import type { askScorer } from "./internal/score-items.ts";
import type { Block, blocksOf, GrownFrom, quoteName, UnsealedPlan } from "./internal/seal-plan.ts";
import type { WorkingItem } from "./internal/working-plan.ts";

/**
 * What quotes old entries while a prompt's prefix stays unchanged. Made by `recallBlocks` of `@agent-history/reducer/recall`; the scorers of this
 * package bring it, so that a fit without a scorer does not carry it.
 */
export interface Recall {
  readonly name: string;
  /** Continues an earlier plan. For `fitToWindow`, not for callers. */
  readonly proceed: (continued: ContinuedFit, planner: Planner) => MaybeAsync<ReductionPlan>;
}

/** A scorer that brings a way to quote what it finds. */
export interface RecallingScorer extends RelevanceScorer {
  readonly recall: Recall;
}

/** A fit that continues an earlier plan. */
export interface ContinuedFit {
  /** The history as it was passed in. */
  readonly given: readonly HistoryEntry[];
  readonly continuation: Continuation;
  readonly context: FitContext;
  /** How far back a cut looks at first. */
  readonly windows: number;
}

/** How a fit goes on without quotations, and what it lends to one that quotes, which so brings no second copy of it. */
export interface Planner extends PlannerTools {
  /** Adds what is new; nothing where room must be made. */
  readonly append: (fit: ContinuedFit) => MaybeAsync<Planned | undefined>;
  /** Makes room. */
  readonly cut: (fit: ContinuedFit) => MaybeAsync<Planned>;
  readonly seal: (planned: Planned, fit: ContinuedFit, quoted?: Quoted) => ReductionPlan;
}

/** What a fit has available anyway. */
export interface PlannerTools {
  readonly askScorer: typeof askScorer;
  readonly findQuestion: typeof findQuestion;
  readonly blocksOf: typeof blocksOf;
  readonly quoteName: typeof quoteName;
  /** Returns whether a cut failed because what must be kept does not fit. */
  readonly isTooSmall: (error: unknown) => boolean;
}

/** A plan, and the repaired history that it is about. */
export interface Planned {
  readonly plan: UnsealedPlan;
  readonly entries: readonly HistoryEntry[];
  readonly continued: PlanContinuation;
  /** The earlier plan, where all that it keeps are the same objects and no decision about them has changed. */
  readonly grownFrom?: GrownFrom | undefined;
  /** What a cut of plain turns keeps. */
  readonly items?: readonly WorkingItem[] | undefined;
}

/** What a plan quotes. */
export interface Quoted {
  /** In the order of the prompt. */
  readonly blocks: readonly Block[];
  /** How many entries stand before the first block that is not as it was; all where there is none. */
  readonly unchanged: PlanContinuation;
}
