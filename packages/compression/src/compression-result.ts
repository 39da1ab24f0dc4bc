import type { Compaction, SummaryPart } from "@agent-history/core";

import type { CompressionState } from "./compression-state.ts";

/** Why nothing was tried. */
export type NotNeededCause = "trigger" | "cooling-down" | "nothing-to-cover" | "strategy";

/**
 * How a compression ended: core's `CompressionOutcome`, with all summaries, their parts, and the state to pass to the
 * next call. Whatever the outcome, the entries that came in are as they were.
 */
export type CompressionResult =
  | {
      readonly outcome: "compressed";
      /** The first of `compactions`, and the only one of most strategies. */
      readonly compaction: Compaction;
      /** One for each summary, in order; each is whole by itself. Never empty. */
      readonly compactions: readonly Compaction[];
      /** The parts that stand in the texts. */
      readonly shown: readonly SummaryPart[];
      /** The parts that found no room there. They are carried in `summary.parts`: the next compaction may show them. */
      readonly dropped: readonly SummaryPart[];
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
