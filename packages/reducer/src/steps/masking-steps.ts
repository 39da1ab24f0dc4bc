import type { RelevanceScorer } from "@agent-history/core";

import { defaultSteps } from "../default-steps.ts";
import type { ReductionItem, ReductionStep } from "../reduction-step.ts";
import { dropOldMessages } from "./drop-old-messages.ts";
import { dropThisTurn } from "./drop-this-turn.ts";
import { maskOldResults, olderExchanges } from "./mask-old-results.ts";
import type { MaskOldResultsOptions } from "./mask-old-results.ts";
import { reduceOldSources } from "./reduce-old-sources.ts";
import { dropUploads, shareUploads } from "./share-uploads.ts";
import { shortenOldMessages } from "./shorten-old-messages.ts";
import { stubOldMedia } from "./stub-old-media.ts";

/**
 * Makes the steps for coding agents and other long tool loops, to pass as `steps`: old tool results are masked first, then what is older than the
 * last exchanges is shortened and dropped, oldest first. The last `keep` exchanges stay whole; where they alone exceed the window, and only as far as they do,
 * the steps of {@link defaultSteps} follow.
 *
 * @param options - those of `maskOldResults`; `scorer`: says which sources are worth keeping.
 * @throws `HistoryError` with code `INVALID_OPTION` if `keep` is not a non-negative integer or `Infinity`.
 *
 * @example
 * ```ts
 * import { action, observation, userMessage } from "@agent-history/core";
 * import { fitToWindow, maskingSteps } from "@agent-history/reducer";
 *
 * const at = { createdAtMs: 0 };
 * const entries = [
 *   userMessage({ ...at, id: "q", content: "Fix the rounding." }),
 *   ...["a.ts", "b.ts", "c.ts"].flatMap((path) => [
 *     action({ ...at, id: `call ${path}`, toolCalls: [{ id: path, name: "read_file", arguments: JSON.stringify({ path }) }] }),
 *     observation({ ...at, id: path, callId: path, toolName: "read_file", outcome: "success", content: "x = 1; ".repeat(100) }),
 *   ]),
 * ];
 * const counter = {
 *   id: "characters",
 *   countText: (text: string) => text.length,
 *   countEntry: ({ content }: { content?: unknown }) => String(content ?? "").length,
 *   countRequest: () => 0,
 * };
 * const fitted = fitToWindow(entries, { window: { contextTokens: 1000 }, counter, steps: maskingSteps({ keep: 1 }) });
 * fitted.entries[2]?.content;
 * // => '[masked: result of read_file a.ts, 700 characters; history_read {"id":"a.ts"} shows it]'
 * ```
 */
export function maskingSteps(
  options: MaskOldResultsOptions & { readonly scorer?: RelevanceScorer } = {},
): readonly ReductionStep[] {
  const { keep = 10 } = options;
  const older = [
    stubOldMedia(),
    reduceOldSources(options),
    maskOldResults(options),
    shareUploads(),
    shortenOldMessages(),
    dropOldMessages(),
    dropThisTurn(),
    dropUploads(),
  ];
  return [
    ...older.map((step) => beforeLast(step, keep)),
    ...defaultSteps(options).map((step) => ({ ...step, isLastResort: true })),
  ];
}

/** The step without sight of the last exchanges, and of the messages with which they would go. */
function beforeLast(step: ReductionStep, keep: number): ReductionStep {
  if (step.name === "mask-old-results") return step;
  return {
    ...step,
    propose: (situation, signal) => {
      const { items } = situation;
      const last = new Set(lastExchanges(items, keep));
      const turns = new Set([...last].map(({ turn }) => turn));
      const isKept = (item: ReductionItem): boolean =>
        last.has(item) || (!item.mayGoFirst && turns.has(item.turn));
      return step.propose({ ...situation, items: items.filter((item) => !isKept(item)) }, signal);
    },
  };
}

function lastExchanges(items: readonly ReductionItem[], keep: number): readonly ReductionItem[] {
  const older = new Set(olderExchanges(items, keep));
  return items.filter((item) => item.entries[0]?.type === "action" && !older.has(item));
}
