import type { Agent, HistoryEntry, ReductionPlan, TokenCounter } from "@agent-history/core";
import type { CallUsage, PriceTable } from "@agent-history/transcripts";

/** Input of {@link inspectPlans}: a log, and the plans of the model calls that were made from it. */
export interface Inspection {
  /** Plans in the order of their calls, optionally with facts about the calls. */
  readonly plans: readonly (ReductionPlan | PlannedCall)[];
  /** The whole log. A plan without its own entries was made for this log, which may have grown since. */
  readonly entries: readonly HistoryEntry[];
  /** Counts the rows. Default: an estimate by length, marked as such on the page. */
  readonly counter?: Pick<TokenCounter, "id" | "countText" | "countEntry"> | undefined;
  /** Default: the first request. */
  readonly title?: string | undefined;
  /** Default: `LIST_PRICES` of `@agent-history/transcripts`. */
  readonly prices?: PriceTable | undefined;
}

/** A model call and the plan of its prompt. */
export interface PlannedCall {
  readonly plan: ReductionPlan;
  /** The input of the fit, if it is not the whole log: a role's view, with its instructions. */
  readonly entries?: readonly HistoryEntry[] | undefined;
  /** Default: the number of the call. */
  readonly id?: string | undefined;
  /** The agent whose prompt it was. Default: the viewer of the plan. */
  readonly agent?: Agent | undefined;
  /** Distinguishes kinds of prompts of one agent: each call is compared with the previous one of the same kind. */
  readonly purpose?: string | undefined;
  readonly model?: string | undefined;
  readonly atMs?: number | undefined;
  /** Usage as the provider reported it. */
  readonly usage?: CallUsage | undefined;
  /** The provider's reason for a cache miss. */
  readonly providerReason?: string | undefined;
}
