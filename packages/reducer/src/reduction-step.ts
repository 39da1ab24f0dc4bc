import type { EntryEdit, HistoryEntry, SummaryEntry } from "@agent-history/core";

/** The steps of every fit, in their order, least destructive first. */
export const STEP_NAMES = [
  "stub-old-media",
  "reduce-old-sources",
  "shrink-old-results",
  "clear-old-results",
  "share-uploads",
  "shorten-old-messages",
  "drop-old-messages",
  "shrink-this-turn",
  "drop-this-turn",
  "shrink-running-results",
  "drop-uploads",
  "clear-running-results",
] as const;

/** The name of a built-in step. */
export type StepName = (typeof STEP_NAMES)[number];

/** An entry of a {@link ReductionUnit}. */
export interface ReductionMember {
  /** The entry as it came. */
  readonly entry: HistoryEntry;
  /** What is left of it now. */
  readonly current: HistoryEntry;
  /** Tokens of what is left of it now. */
  readonly tokens: number;
}

/** What is kept, truncated or dropped together: an exchange, or an entry outside any exchange. */
export interface ReductionUnit {
  /** The entries as they came; an action comes first. */
  readonly entries: readonly HistoryEntry[];
  /** The same entries, with what is left of each. */
  readonly members: readonly ReductionMember[];
  /** Tokens of what is left of it now. */
  readonly tokens: number;
  /** Belongs to the turn being answered. */
  readonly isOfThisTurn: boolean;
  /** Which turn it belongs to, from 0: requests and answers with one number are dropped together. */
  readonly turn: number;
  /** May be dropped before its turn's request and last answer: an exchange, an upload, a note. */
  readonly mayGoFirst: boolean;
  /** Is the exchange that still runs. */
  readonly isRunning: boolean;
  /** May not be dropped: a system message, a pin, the question, the running exchange. */
  readonly isProtected: boolean;
  readonly isDropped: boolean;
  /** The score of the scorer: higher helps more to answer the question. Missing without one. */
  readonly score?: number;
  /** Was sent with the previous call: changing it invalidates the provider's cached prefix. */
  readonly wasSent: boolean;
}

/** What a step is asked for. */
export interface ReductionNeed {
  /** The token budget of all entries together. */
  readonly budget: number;
  /** Tokens that the step should save. */
  readonly excess: number;
  /** The newest user message, or the task; `undefined` if there is neither. */
  readonly question: HistoryEntry | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One proposed change, with its reason. Proposals that are not allowed or save nothing are skipped; a summary longer than the entries it replaces is an error. */
export type ReductionProposal =
  | {
      readonly kind: "edit";
      readonly entry: HistoryEntry;
      readonly edit: EntryEdit;
      readonly reason: string;
    }
  | { readonly kind: "drop"; readonly unit: ReductionUnit; readonly reason: string }
  | {
      readonly kind: "summarize";
      readonly units: readonly ReductionUnit[];
      /** What it covers is written by the fit: of `units`, whole turns and what may go before them. */
      readonly summary: SummaryEntry;
      readonly reason: string;
    }
  /** Reports why the step could not do something. The plan lists it in `skipped`. */
  | { readonly kind: "skip"; readonly reason: string };

/** A step of your own. It proposes changes, least destructive first; the fit applies them one by one until the request fits. */
export interface ReductionStep {
  readonly name: string;
  /** The built-in step before which it runs. Default: before all. */
  readonly before?: StepName | undefined;
  /**
   * Proposes changes.
   *
   * @param units - Oldest first.
   */
  readonly propose: (
    units: readonly ReductionUnit[],
    need: ReductionNeed,
  ) => Iterable<ReductionProposal> | Promise<Iterable<ReductionProposal>>;
  /** Returns units that the built-in steps touch only if nothing else can go. */
  readonly spare?: (units: readonly ReductionUnit[]) => readonly ReductionUnit[];
}
