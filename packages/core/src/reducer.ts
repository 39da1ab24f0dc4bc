import type { HistoryEntry, SummaryEntry } from "./history-entry.ts";
import type { HistoryView } from "./history-view.ts";
import type { Viewer } from "./message-role.ts";
import type { ModelWindow, ReductionPlan } from "./reduction-plan.ts";
import type { ToolDefinition } from "./tools.ts";

/** Input of a reducer. */
export interface ReductionRequest {
  readonly window: ModelWindow;
  /** Whose prompt it is. */
  readonly viewer?: Viewer | undefined;
  /** The view that the entries are of. Default `thread`. */
  readonly view?: HistoryView | undefined;
  readonly tools?: readonly ToolDefinition[] | undefined;
  /** Returns an entry as the target format writes it for a viewer: this is what counts. The same function at each call. Default: the entry. */
  readonly asWritten?: ((entry: HistoryEntry, viewer: Viewer) => HistoryEntry) | undefined;
  /** Returns the bytes of the request that entries are written as, tools included. Default: what their JSON has, with room for the names of fields. */
  readonly bytesOf?: ((entries: readonly HistoryEntry[]) => number) | undefined;
  /**
   * The plan of the previous call. It is followed up to the first change of what it keeps; a plan for another window, counter, viewer or view is ignored.
   * `plan.continued` says how far it was followed.
   */
  readonly previousPlan?: ReductionPlan | undefined;
  /** `provider`: with a cut, the reduction also returns what the provider could summarize in its place (`compaction`). Default: no compaction. */
  readonly compaction?: "provider" | undefined;
  /** The provider's summary for the `compaction` of a fit with the same `previousPlan`. It replaces those entries in the prompt from now on. */
  readonly compacted?: Compacted | undefined;
  /**
   * Looks for entries that were pinned after `previousPlan` dropped them. Linear in the history; without it they stay dropped until the next
   * fit without a plan. Default `false`.
   */
  readonly recheck?: boolean | undefined;
  /**
   * Names the content of entries that never change, such as those of a store; `undefined` for an entry whose content may change under the
   * same id. Named entries are compared by name and never hashed. A plan made with names has no checksum, so keep it where nobody changes it,
   * and is continued only with names. The name must depend on the entry alone; it is not requested again for an object that a plan
   * in memory knows.
   */
  readonly contentName?: (entry: HistoryEntry) => string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The reduced entries and the plan. */
export interface Reduction {
  readonly entries: readonly HistoryEntry[];
  readonly plan: ReductionPlan;
  /** What the provider could summarize instead of this cut, so that the reasoning after it stays valid. Missing without a cut. */
  readonly compaction?: Compactable | undefined;
}

/** What a provider may summarize: a prefix of what was sent that ends before an answer. */
export interface Compactable {
  /** The entries as they were sent. */
  readonly entries: readonly HistoryEntry[];
  /** The id of the entry that follows. */
  readonly before: string;
}

/** A provider's summary of a {@link Compactable}. */
export interface Compacted extends Pick<Compactable, "before"> {
  readonly summary: SummaryEntry;
}

/**
 * Makes entries fit a context window.
 *
 * Laws: pairing, order and the question hold (L1 to L3); the counted size is at most the context, otherwise
 * `WINDOW_TOO_SMALL` says how much the protected part needs (L4); what fits is returned by identity (L5); numbers of
 * sources stay (L6); inputs are not changed (L8); each entry has one decision (L9); one more turn costs what is new (L13).
 */
export interface Reducer {
  readonly name: string;
  /**
   * Whether a fit that continues a plan looks at what the plan dropped, as one with a scorer does. If `false`, callers may leave out whole turns that the
   * plan dropped at the beginning. Default `true`.
   */
  readonly needsWholeView?: boolean;
  reduce(
    entries: readonly HistoryEntry[],
    request: ReductionRequest,
  ): Reduction | Promise<Reduction>;
}

/**
 * Ranks entries by relevance to a question.
 *
 * Laws: one score for each entry, in order, finite, from 0 (no help) up; higher helps more; scores are comparable
 * within one call only. Inputs are not changed; same input, same scores (L8).
 */
export interface RelevanceScorer {
  readonly name: string;
  score(
    question: string,
    entries: readonly HistoryEntry[],
    signal?: AbortSignal,
  ): readonly number[] | Promise<readonly number[]>;
}
