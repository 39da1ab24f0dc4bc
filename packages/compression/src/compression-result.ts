import type { Compaction } from "@agent-history/core";

import type { CompressionState } from "./compression-state.ts";
import type { Fact } from "./facts/fact.ts";

/** Facts that matter, and what became of each. */
export interface SummaryFacts {
  /** Stand in a summary as it was written. */
  readonly kept: readonly Fact[];
  /** Were missing, and stand below it word for word. */
  readonly appended: readonly Fact[];
  /** Were missing, and found no room. */
  readonly dropped: readonly Fact[];
}

/** Why nothing was tried. */
export type NotNeededCause = "trigger" | "cooling-down" | "nothing-to-cover" | "strategy";

/**
 * How a compression ended: core's `CompressionOutcome`, with all summaries, what became of the facts, and the state to hand
 * in next time. Whatever the outcome, the entries that came in are as they were.
 */
export type CompressionResult =
  | {
      readonly outcome: "compressed";
      /** The first of `compactions`, and the only one of most strategies. */
      readonly compaction: Compaction;
      /** One for each summary, in order; each is whole by itself. Never empty. */
      readonly compactions: readonly Compaction[];
      readonly facts: SummaryFacts;
      readonly state: CompressionState;
    }
  | {
      readonly outcome: "not-needed";
      readonly cause: NotNeededCause;
      readonly reason: string;
      readonly state: CompressionState;
    }
  | {
      readonly outcome: "not-beneficial";
      readonly reason: string;
      readonly state: CompressionState;
    }
  | {
      readonly outcome: "failed";
      readonly reason: string;
      readonly error: unknown;
      readonly state: CompressionState;
    };
