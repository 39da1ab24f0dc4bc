import type { Agent, HistoryEntry, ReductionPlan, TokenCounter } from "@agent-history/core";
import type { CallUsage, PriceTable } from "@agent-history/transcripts";

/** What is drawn: a log, and the plans of the model calls that were made from it. */
export interface Inspection {
  /** In the order of the calls: plans, or plans with what is known of their calls. */
  readonly plans: readonly (ReductionPlan | PlannedCall)[];
  /** The whole log. A plan without entries of its own was made for this log, as it was then: more may have come since. */
  readonly entries: readonly HistoryEntry[];
  /** Counts the rows. Default: an estimate by length, which the page names as such. */
  readonly counter?: Pick<TokenCounter, "id" | "countText" | "countEntry"> | undefined;
  /** Default: the first request. */
  readonly title?: string | undefined;
  /** Default: `LIST_PRICES` of `@agent-history/transcripts`. */
  readonly prices?: PriceTable | undefined;
}

/** A model call and the plan of its prompt. */
export interface PlannedCall {
  readonly plan: ReductionPlan;
  /** The entries that the fit was given, where they are not the whole log: a role's view, with its instructions. */
  readonly entries?: readonly HistoryEntry[] | undefined;
  /** Default: its number. */
  readonly id?: string | undefined;
  /** Whose prompt it was. Default: the viewer of the plan. */
  readonly agent?: Agent | undefined;
  /** Distinguishes several kinds of prompt of one agent: each is compared with the one before of its kind. */
  readonly purpose?: string | undefined;
  readonly model?: string | undefined;
  readonly atMs?: number | undefined;
  /** As the provider reported it. */
  readonly usage?: CallUsage | undefined;
  /** The reason for a cache miss, in the provider's words. */
  readonly providerReason?: string | undefined;
}
