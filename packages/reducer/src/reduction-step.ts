import type { EntryEdit, HistoryEntry, SummaryEntry } from "@agent-history/core";

/** What is kept, shrunk or dropped as one: an exchange, or an entry that is part of none. */
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
  /** Was sent by the call before: to change it costs the provider's cached prefix. */
  readonly wasSent: boolean;
}

/** What a step sees when it is asked. */
export interface ReductionSituation {
  /** Oldest first. */
  readonly items: readonly ReductionItem[];
  /** Tokens that all entries together may have. */
  readonly budget: number;
  /** Tokens that the step is to save, when it is asked. */
  readonly excess: number;
  /** What is left of an entry now. */
  readonly currentEntry: (entry: HistoryEntry) => HistoryEntry;
  /** Tokens of what is left of an entry now. */
  readonly tokensOf: (entry: HistoryEntry) => number;
  /** The newest user message, or the task; nothing where there is neither. */
  readonly question: HistoryEntry | undefined;
}

/** One thing to do, and why. The engine passes over what is not allowed or saves nothing; a summary that is longer than what it stands for is an error. */
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
  /** Says why the step goes without a thing that it would have done. The plan tells of it in `skipped`. */
  | { readonly kind: "skip"; readonly reason: string };

/**
 * One way to make a history smaller. It proposes, mildest first; the engine takes one proposal after the other until
 * the excess is gone, so a generator does no more work than is needed.
 */
export interface ReductionStep {
  readonly name: string;
  /** Is asked only while the window is exceeded, not on the way down to a watermark. Default `false`. */
  readonly isLastResort?: boolean;
  readonly propose: (
    situation: ReductionSituation,
    signal?: AbortSignal,
  ) => Iterable<ReductionProposal> | Promise<Iterable<ReductionProposal>>;
}
