import type { EntryEdit, HistoryEntry, SummaryEntry } from "@agent-history/core";

/** What is kept, truncated or dropped together: an exchange, or an entry outside any exchange. */
export interface ReductionItem {
  /** The entries as they came; an action comes first. */
  readonly entries: readonly HistoryEntry[];
  /** Tokens of what is left of it now. */
  readonly tokens: number;
  /** Belongs to the turn being answered. */
  readonly isOfThisTurn: boolean;
  /** Which request it belongs to, from 0: the request and its last answer are dropped together, with all that has this number. */
  readonly turn: number;
  /** May be dropped before its turn's request and last answer: an exchange, an upload, a note. */
  readonly mayGoFirst: boolean;
  /** Is the exchange that still runs. */
  readonly isRunning: boolean;
  /** May not be dropped: a system message, a pin, the question, the running exchange. */
  readonly isProtected: boolean;
  readonly isDropped: boolean;
  /** By the scorer: higher helps more to answer the question. Missing without one. */
  readonly score?: number;
  /** Was sent with the previous call: changing it invalidates the provider's cached prefix. */
  readonly wasSent: boolean;
}

/** The input of a step. */
export interface ReductionSituation {
  /** Oldest first. */
  readonly items: readonly ReductionItem[];
  /** The token budget of all entries together. */
  readonly budget: number;
  /** Tokens that the step should save. */
  readonly excess: number;
  /** What is left of an entry now. */
  readonly currentEntry: (entry: HistoryEntry) => HistoryEntry;
  /** Tokens of what is left of an entry now. */
  readonly tokensOf: (entry: HistoryEntry) => number;
  /** The newest user message, or the task; `undefined` if there is neither. */
  readonly question: HistoryEntry | undefined;
}

/** One proposed change, with its reason. The engine skips proposals that are not allowed or save nothing; a summary longer than the entries it replaces is an error. */
export type ReductionProposal =
  | {
      readonly kind: "edit";
      readonly entry: HistoryEntry;
      readonly edit: EntryEdit;
      readonly reason: string;
    }
  | { readonly kind: "drop"; readonly item: ReductionItem; readonly reason: string }
  | {
      readonly kind: "summarize";
      readonly items: readonly ReductionItem[];
      readonly summary: SummaryEntry;
      readonly reason: string;
    }
  /** Reports why the step could not do something. The plan lists it in `skipped`. */
  | { readonly kind: "skip"; readonly reason: string };

/**
 * A step that makes a history smaller. It proposes changes, least destructive first; the engine applies them one by one until
 * the request fits, so a generator does no more work than needed.
 */
export interface ReductionStep {
  readonly name: string;
  /** Runs only while the window is exceeded, not on the way down to the low watermark. Default `false`. */
  readonly isLastResort?: boolean;
  readonly propose: (
    situation: ReductionSituation,
    signal?: AbortSignal,
  ) => Iterable<ReductionProposal> | Promise<Iterable<ReductionProposal>>;
}
