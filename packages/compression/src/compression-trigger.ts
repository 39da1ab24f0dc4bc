import type { HistoryEntry, HistoryView } from "@agent-history/core";

/** What a trigger decides by. Tokens are counted when they are asked for. */
export interface TriggerSituation {
  readonly view: HistoryView;
  /** What the view shows, entries of others included. */
  readonly entries: readonly HistoryEntry[];
  /** The view's own entries. */
  readonly members: readonly HistoryEntry[];
  /** Tokens of the view's own entries. */
  readonly tokens: number;
}

/** Says whether it is time to compress. Any function of this shape will do. */
export type CompressionTrigger = (situation: TriggerSituation) => boolean;
