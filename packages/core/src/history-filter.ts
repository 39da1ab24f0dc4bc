import type { AgentRole, PhaseId } from "./entry-base.ts";
import type { HistoryEntry } from "./history-entry.ts";
import type { HistoryQuery } from "./history-query.ts";

/** Where an agent stands when its next prompt is built. A value here goes before the filter's own. */
export interface FilterContext {
  readonly role?: AgentRole | undefined;
  /** Whose prompt it is. */
  readonly agentId?: string | undefined;
  /** The turn being answered, for traces, phases and tasks; the conversation is always seen up to its end. Default: the newest. */
  readonly turnId?: string | undefined;
  /** The phase being worked on. */
  readonly phaseId?: PhaseId | undefined;
  /** The one earlier phase to see, instead of all that came before. */
  readonly previousPhaseId?: PhaseId | undefined;
  /** The task being done. Default: the agent's last. */
  readonly taskId?: string | undefined;
  /** How many turns of conversation to see. `0` none, `Infinity` all. */
  readonly maxConversationTurns?: number | undefined;
}

/**
 * Decides what an agent may see: a query, which a store can answer from its indexes, and what no query can say.
 *
 * Laws: what is seen is a subsequence of the history, the entries themselves and not copies, in their order (L2, L8);
 * no exchange is cut in two (L1); nothing of another worker, turn or phase unless the filter says so (L10). A strange
 * entry never makes it throw.
 */
export interface HistoryFilter {
  readonly name: string;
  /** Says what is read of a thread in this context. */
  query(context: FilterContext): HistoryQuery;
  /** Narrows what the query returned. Default: all of it is shown. */
  refine?(entries: readonly HistoryEntry[], context: FilterContext): readonly HistoryEntry[];
}
