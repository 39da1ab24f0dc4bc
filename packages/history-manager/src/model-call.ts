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

/** One call of a model: who asks, and what the prompt is made of beside the history. What is left out is taken from the manager's scope. */
export interface ModelCallRequest extends FilterContext {
  /** Instructions for the model: the prompt's only system message: stored ones are not shown. */
  readonly systemMessage: Content;
  /** The user's words, to find the message that `renderedUserMessage` stands for. Default: the newest user message of the view. */
  readonly originalUserMessage?: Content | undefined;
  /**
   * What the model is shown instead of that message, or of the task in a view without user messages; in a view without either it is
   * the last message. It is not stored: give what holds for the whole turn to `addUserMessage`.
   */
  readonly renderedUserMessage?: Content | undefined;
  /** Removes from earlier answers what the model did not write. Overrides the manager's. */
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

/** What a model call is to be sent, and why. */
export interface ModelCallHistory {
  /** The system message first, then what is left of the history. */
  readonly entries: readonly HistoryEntry[];
  /** One decision for each entry that was read for the view. */
  readonly plan: ReductionPlan;
  readonly counts: ModelCallCounts;
  /** Stored rows that could not be read. */
  readonly problems: readonly StoredEntryProblem[];
}

/** What a model call costs. */
export interface ModelCallCounts {
  /** How many entries were read for the view, the system message among them. */
  readonly viewEntries: number;
  /** How many of them are sent. */
  readonly shownEntries: number;
  /** Tokens of what was read and of the request around it, before anything was cut. */
  readonly viewTokens: number;
  /** Tokens of the request as it is sent. */
  readonly shownTokens: number;
  /** Whether the prompt only went on from that of the call before, so that a provider's cached prefix holds. */
  readonly isContinued: boolean;
}
