import type { EntryType } from "@agent-history/core";

/** What a thread costs: its tokens, as they stand in the log, by type, by agent and by turn. */
export interface ThreadUsage extends Usage {
  readonly byType: ReadonlyMap<EntryType, Usage>;
  /** By agent id; what nobody wrote stands under `undefined`. */
  readonly byAgent: ReadonlyMap<string | undefined, Usage>;
  /** By turn id; a turn without one stands under the id of its first entry. In the order of the turns. */
  readonly byTurn: ReadonlyMap<string, Usage>;
}

/** How many entries, and their tokens. */
export interface Usage {
  readonly entries: number;
  readonly tokens: number;
}
