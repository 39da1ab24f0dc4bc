import type { RelevanceScorer } from "@agent-history/core";

import type { ReductionStep } from "./reduction-step.ts";
import { clearOldResults } from "./steps/clear-old-results.ts";
import { dropOldMessages } from "./steps/drop-old-messages.ts";
import { dropThisTurn } from "./steps/drop-this-turn.ts";
import { reduceOldSources } from "./steps/reduce-old-sources.ts";
import { dropUploads, shareUploads } from "./steps/share-uploads.ts";
import { shortenOldMessages } from "./steps/shorten-old-messages.ts";
import { shrinkOldResults } from "./steps/shrink-old-results.ts";
import { clearRunningResults, shrinkRunningResults } from "./steps/shrink-running-results.ts";
import { shrinkThisTurn } from "./steps/shrink-this-turn.ts";
import { stubOldMedia } from "./steps/stub-old-media.ts";

/**
 * Returns the default steps, least destructive first. Leave out, reorder, or add your own.
 *
 * @param options - `scorer`: ranks sources; a fit with a scorer passes it on.
 */
export function defaultSteps(
  options: { readonly scorer?: RelevanceScorer } = {},
): readonly ReductionStep[] {
  return [
    stubOldMedia(),
    reduceOldSources(options),
    shrinkOldResults(),
    clearOldResults(),
    shareUploads(),
    shortenOldMessages(),
    dropOldMessages(),
    shrinkThisTurn(),
    dropThisTurn(),
    shrinkRunningResults(),
    dropUploads(),
    clearRunningResults(),
  ];
}
