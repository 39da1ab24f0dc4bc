import type { Reducer } from "@agent-history/core";

import { createReducer } from "./create-reducer.ts";
import type { ReducerOptions } from "./create-reducer.ts";
import { dropOldMessages } from "./steps/drop-old-messages.ts";
import { dropThisTurn } from "./steps/drop-this-turn.ts";
import { reduceOldSources } from "./steps/reduce-old-sources.ts";
import { dropUploads, shareUploads } from "./steps/share-uploads.ts";
import type { ShareUploadsOptions } from "./steps/share-uploads.ts";
import { shrinkOldResults } from "./steps/shrink-old-results.ts";
import { clearRunningResults, shrinkRunningResults } from "./steps/shrink-running-results.ts";
import { shrinkThisTurn } from "./steps/shrink-this-turn.ts";

/** Options of {@link loopTokenReducer}. */
export interface LoopTokenReducerOptions extends Omit<ReducerOptions, "steps" | "name"> {
  /** The share of the window for uploaded content. Default: a floor of 0.2 and a ceiling of 0.6. */
  readonly uploads?: ShareUploadsOptions | undefined;
}

/**
 * Makes the reducer of an agent's tool loop: references are reduced first, their numbers unchanged; uploads get their share of the window;
 * long results are shortened; then the oldest messages go. The newest question and the running exchange stay.
 */
export function loopTokenReducer(options: LoopTokenReducerOptions): Reducer {
  const { uploads, ...fit } = options;
  return createReducer({
    ...fit,
    name: "loop-token",
    steps: [
      reduceOldSources(),
      shareUploads(uploads),
      shrinkOldResults(),
      dropOldMessages(),
      shrinkThisTurn(),
      dropThisTurn(),
      shrinkRunningResults(),
      dropUploads(),
      clearRunningResults(),
    ],
  });
}
