import type { AgentRole, HistoryEntry, PhaseId } from "./history-entry.ts";
import type { HistoryQuery } from "./history-query.ts";

/** The agent's position when its next prompt is built. A value here overrides the filter's own. */
export interface FilterContext {
  readonly role?: AgentRole | undefined;
  /** Whose prompt it is. */
  readonly agentId?: string | undefined;
  /** The turn being answered; limits traces, phases and tasks. The conversation is always seen to its end. Default: the newest. */
  readonly turnId?: string | undefined;
  /** The phase being worked on. */
  readonly phaseId?: PhaseId | undefined;
  /** Shows only this earlier phase instead of all earlier ones. */
  readonly previousPhaseId?: PhaseId | undefined;
  /** The task being done. Default: the agent's last. */
  readonly taskId?: string | undefined;
  /** How many turns of conversation to see. `0` none, `Infinity` all. */
  readonly maxConversationTurns?: number | undefined;
}

/**
 * Decides what an agent may see: a query, which a store answers from its indexes, and a function for what no query can express.
 *
 * Laws: the result is a subsequence of the history, in order, not copied (L2, L8);
 * exchanges stay whole (L1); nothing of another worker, turn or phase is shown unless the filter says so (L10). A malformed
 * entry never makes it throw.
 */
export interface HistoryFilter {
  readonly name: string;
  /** Returns what to read of a thread in this context. */
  query(context: FilterContext): HistoryQuery;
  /** Narrows what the query returned. Default: shows all of it. */
  refine?(entries: readonly HistoryEntry[], context: FilterContext): readonly HistoryEntry[];
}
