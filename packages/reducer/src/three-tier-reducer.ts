import type { Compressor, Reducer } from "@agent-history/core";

import { createReducer } from "./create-reducer.ts";
import type { ReducerOptions } from "./create-reducer.ts";
import { dropOldMessages } from "./steps/drop-old-messages.ts";
import { dropThisTurn } from "./steps/drop-this-turn.ts";
import { replaceOldTurns } from "./steps/replace-old-turns.ts";
import { dropUploads } from "./steps/share-uploads.ts";
import { clearRunningResults, shrinkRunningResults } from "./steps/shrink-running-results.ts";

/** Options of {@link threeTierReducer}. */
export interface ThreeTierReducerOptions extends Omit<ReducerOptions, "steps" | "name"> {
  /** How many of the newest messages and exchanges of earlier turns are recent, and not summarized. Default 5. */
  readonly keepRecent?: number | undefined;
  /** Summarizes the old. Without one they are dropped. */
  readonly compressor?: Compressor | undefined;
}

/**
 * Makes a reducer of three tiers: system messages stay, recent messages stay while there is room, old ones become one
 * summary or go. Where that is not enough, the oldest go first until the window fits. The summary is no system message.
 */
export function threeTierReducer(options: ThreeTierReducerOptions): Reducer {
  const { keepRecent = 5, compressor, ...fit } = options;
  return createReducer({
    ...fit,
    name: "three-tier",
    steps: [
      ...(compressor === undefined ? [] : [replaceOldTurns({ compressor, keepRecent })]),
      dropOldMessages(),
      dropThisTurn(),
      shrinkRunningResults(),
      dropUploads(),
      clearRunningResults(),
    ],
  });
}
