import type { SummaryEntry } from "./derived-entries.ts";
import type { HistoryEntry } from "./history-entry.ts";
import type { HistoryView } from "./history-view.ts";
import type { Viewer } from "./message-role.ts";
import type { ModelWindow, ReductionPlan } from "./reduction-plan.ts";
import type { ToolDefinition } from "./token-counter.ts";

/** What a reducer is asked to make room in. */
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
   * The plan of the call before. It holds up to the first change of what it keeps; one for another window, counter, viewer or view is ignored.
   * `plan.continued` says how far it held.
   */
  readonly previousPlan?: ReductionPlan | undefined;
  /** `provider`: where a cut makes room, the reduction also says what the provider could summarize in its place (`compaction`). Default: nobody is asked. */
  readonly compaction?: "provider" | undefined;
  /** What the provider wrote of the `compaction` of a fit with the same `previousPlan`: stands in the prompt in place of those entries from now on. */
  readonly compacted?: Compacted | undefined;
  /**
   * Looks for entries that were pinned after `previousPlan` dropped them. Linear in the history; without it they stay dropped until the next
   * fit without a plan. Default `false`.
   */
  readonly recheck?: boolean | undefined;
  /**
   * Names what an entry says, for entries that never change, such as those of a store; `undefined` for one that may say something else under the
   * same id. An entry with a name is known by it and never hashed, and a plan that is made with names has no checksum: whoever keeps it
   * answers for it. A plan that was made with names is continued only with them. The name depends on nothing but the entry: of an object that a plan
   * in memory knows already it is not asked again.
   */
  readonly contentName?: (entry: HistoryEntry) => string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What is left, and why. */
export interface Reduction {
  readonly entries: readonly HistoryEntry[];
  readonly plan: ReductionPlan;
  /** What the provider could summarize instead of what this plan gives up: then the reasoning behind it stays valid. Missing without a cut. */
  readonly compaction?: Compactable | undefined;
}

/** What a provider may summarize: a beginning of what was sent, which ends where an answer begins. */
export interface Compactable {
  /** As they were sent. */
  readonly entries: readonly HistoryEntry[];
  /** The id of the entry that follows. */
  readonly before: string;
}

/** What a provider made of a {@link Compactable}. */
export interface Compacted extends Pick<Compactable, "before"> {
  readonly summary: SummaryEntry;
}

/**
 * Makes entries fit a token window.
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
