import type { HistoryEntry, ModelWindow } from "@agent-history/core";

/** What one call of a fit is given, as plain data: a case can be printed, and made smaller. */
export interface ChaosCall {
  readonly entries: readonly HistoryEntry[];
  readonly window: ModelWindow;
  readonly viewerId?: string;
  readonly counter: CounterName;
  /** Places in the list of default steps. Default: all of them in their order. */
  readonly steps?: readonly number[];
  readonly scorer?: ScorerName;
  /** What a scorer's finds become. Default: as the scorer brings it. */
  readonly recall?: "on-cut" | "off";
  readonly hasTools?: true;
  readonly maxResultShare?: number;
  readonly lowWatermark?: number;
  readonly firstRequestShare?: number;
  /** Looks through what the plan dropped, too. */
  readonly recheck?: true;
  /** What becomes of the plan of the previous call. */
  readonly plan: "none" | "kept" | "stored" | "damaged";
}

export type CounterName =
  | "quarters"
  | "characters"
  | "by viewer"
  | "tiktoken"
  | "tiktoken, large images";
export type ScorerName = "recency" | "importance" | "lexical";

/** A history and the calls that were made while it grew. */
export interface ChaosCase {
  readonly seed: number;
  readonly kind: string;
  /** Old messages were changed between calls. */
  readonly isEdited: boolean;
  /** How entries reach the fit: as they are, or by way of chat messages, the same objects or copies of them. */
  readonly form: "entries" | "chat" | "copied chat";
  /** Each stateless call is made again, and what it gave is fitted once more. */
  readonly isRepeated: boolean;
  readonly calls: readonly ChaosCall[];
}
