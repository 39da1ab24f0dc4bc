import type {
  Content,
  FilterContext,
  HistoryEntry,
  HistoryFilter,
  ModelWindow,
  ReductionPlan,
  StoredEntryProblem,
  ToolDefinition,
} from "@agent-history/core";

import type { AnswerCleaner } from "./history-manager-options.ts";

/** One model call: who asks, and the parts of the prompt beside the history. Missing fields come from the manager's scope. */
export interface ModelCallRequest extends FilterContext {
  /** Instructions for the model: the prompt's only system message: stored ones are not shown. */
  readonly systemMessage: Content;
  /** The user's words, to find the message that `renderedUserMessage` stands for. Default: the newest user message of the view. */
  readonly originalUserMessage?: Content | undefined;
  /**
   * What the model is shown instead of that message, or of the task in a view without user messages; in a view without either it is
   * the last message. It is not stored: pass what applies to the whole turn to `addUserMessage`.
   */
  readonly renderedUserMessage?: Content | undefined;
  /** Removes text from earlier answers that the model did not write. Overrides the manager's. */
  readonly cleaner?: AnswerCleaner | undefined;
  /** The tools of the call; their schemas are counted. */
  readonly tools?: readonly ToolDefinition[] | undefined;
  /** The ids of the attachments to show. Default: all of the view. `[]` shows none. */
  readonly uploads?: readonly string[] | undefined;
  /** Overrides the role's filter. */
  readonly filter?: HistoryFilter | undefined;
  /** Overrides the role's window. */
  readonly window?: ModelWindow | undefined;
  /** Distinguishes several kinds of prompt of one agent, so that each has its own plan. Default: one for each agent. */
  readonly purpose?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The entries to send with a model call, and the plan. */
export interface ModelCallHistory {
  /** The system message, then the fitted history. */
  readonly entries: readonly HistoryEntry[];
  /** One decision for each entry that was read for the view. */
  readonly plan: ReductionPlan;
  readonly counts: ModelCallCounts;
  /** Stored rows that could not be read. */
  readonly problems: readonly StoredEntryProblem[];
}

/** The size of a model call. */
export interface ModelCallCounts {
  /** How many entries were read for the view, the system message among them. */
  readonly viewEntries: number;
  /** How many of them are sent. */
  readonly shownEntries: number;
  /** Tokens of the request before any reduction. */
  readonly viewTokens: number;
  /** Tokens of the request as it is sent. */
  readonly shownTokens: number;
  /** Whether the prompt only appended to the previous call's, so that the provider's cached prefix still applies. */
  readonly isContinued: boolean;
}
