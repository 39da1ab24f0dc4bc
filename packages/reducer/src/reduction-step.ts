import type { EntryEdit, HistoryEntry, SummaryEntry } from "@agent-history/core";

/** The built-in steps in their order, least destructive first. */
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
  /** The original entry. */
  readonly entry: HistoryEntry;
  /** Its current form. */
  readonly current: HistoryEntry;
  /** Tokens of its current form. */
  readonly tokens: number;
}

/** The unit that is kept, truncated or dropped as one: an exchange (tool calls with their results), or an entry outside any exchange. */
export interface ReductionUnit {
  /** The original entries; in an exchange, the action comes first. */
  readonly entries: readonly HistoryEntry[];
  /** The same entries with their current forms. */
  readonly members: readonly ReductionMember[];
  /** Tokens of its current form. */
  readonly tokens: number;
  /** Whether it belongs to the turn being answered. */
  readonly isOfThisTurn: boolean;
  /** The number of its turn, from 0. Requests and answers with the same number are dropped together. */
  readonly turn: number;
  /** Whether it may be dropped before its turn's request and last answer, e.g. an exchange, an upload or a note. */
  readonly mayGoFirst: boolean;
  /** Whether it is the running exchange. */
  readonly isRunning: boolean;
  /** Whether it must not be dropped: a system message, a pinned entry, the question, the running exchange. */
  readonly isProtected: boolean;
  readonly isDropped: boolean;
  /** The scorer's relevance score; higher is more relevant to the question. Missing without a scorer. */
  readonly score?: number;
  /** Whether it was sent with the previous call; a change then invalidates the provider's cached prefix. */
  readonly wasSent: boolean;
}

/** What a step should achieve. */
export interface ReductionNeed {
  /** The token budget for all entries together. */
  readonly budget: number;
  /** Tokens that the step should save. */
  readonly excess: number;
  /** The newest user message, or the task; `undefined` if there is neither. */
  readonly question: HistoryEntry | undefined;
  /** Summaries that steps wrote at earlier cuts and that are in the prompt, oldest first. */
  readonly summaries: readonly SummaryEntry[];
  readonly signal?: AbortSignal | undefined;
}

/** One proposed change and its reason. Proposals that are not allowed or save nothing are skipped; a summary longer than the entries it replaces is an error. */
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
      /** The fit sets its `covers`: of `units`, whole turns and units that may be dropped before them. */
      readonly summary: SummaryEntry;
      /** Earlier summaries, of `need.summaries`, whose content it contains. Default: none. */
      readonly replaces?: readonly SummaryEntry[] | undefined;
      readonly reason: string;
    }
  /** Reports why the step could not do something. The plan lists it in `skipped`. */
  | { readonly kind: "skip"; readonly reason: string };

/** A custom step. It proposes changes, least destructive first; the fit applies them one by one until the request fits. */
export interface ReductionStep {
  readonly name: string;
  /** The built-in step before which it runs. Default: the first. */
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
  /** Returns units that built-in steps change only if nothing else can be reduced. */
  readonly spare?: (units: readonly ReductionUnit[]) => readonly ReductionUnit[];
}
