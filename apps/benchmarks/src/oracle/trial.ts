import type { HistoryEntry, ModelWindow, ReductionPlan } from "@agent-history/core";

import type { HistoryReading } from "./read-history.ts";

/** A law that a fit broke. */
export interface Breach {
  /** The law of the design. */
  readonly law: "L1" | "L2" | "L3" | "L4" | "L5" | "L8" | "L9" | "L15" | "L16" | "L17" | "provider";
  readonly rule: string;
  /** The entry at which it shows. */
  readonly at?: string;
}

/** What went into a fit, and what came out. */
export interface JudgedFit {
  readonly given: readonly HistoryEntry[];
  /** With the blocks that quote. */
  readonly fitted: readonly HistoryEntry[];
  readonly plan: Pick<
    ReductionPlan,
    | "repairs"
    | "decisions"
    | "requestTokens"
    | "totalTokens"
    | "estimatedMedia"
    | "recalls"
    | "head"
  >;
  readonly window: ModelWindow;
  readonly viewerId?: string;
  /** Counts as the fit was told to count: this oracle adds up by itself. */
  readonly countEntry: (entry: HistoryEntry) => number;
  readonly requestTokens: number;
  /** Neither scorer nor steps of the caller's own: older turns never outlive newer ones. */
  readonly isInOrder: boolean;
  /** The first request stays with its answer. */
  readonly keepsFirst?: boolean;
  /** Steps of the caller's own, which may leave what others would drop. */
  readonly hasOwnSteps?: boolean;
  /** What the call before left out, where its plan was handed in: what is pinned since may stay out. */
  readonly droppedBefore?: ReadonlySet<string>;
}

/** What all judges share. */
export interface Trial extends JudgedFit {
  readonly before: HistoryReading;
  readonly after: HistoryReading;
  readonly keptIds: ReadonlySet<string>;
  /** Something is gone that was in the sound history. */
  readonly isCut: boolean;
  /** The place at which the turn being answered begins. */
  readonly turnStart: number;
  /** Instructions, pins and all of the words of the turn being answered fit as they are. */
  readonly hasRoomForTurn: boolean;
}
