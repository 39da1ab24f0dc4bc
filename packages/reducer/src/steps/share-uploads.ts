import { HistoryError } from "@agent-history/core";

import { cleared } from "../internal/propose-results.ts";
import { shortenToFit } from "../internal/shorten-to-fit.ts";
import type {
  ReductionItem,
  ReductionProposal,
  ReductionSituation,
  ReductionStep,
} from "../reduction-step.ts";

/** Options of {@link shareUploads}. */
export interface ShareUploadsOptions {
  /** The share of the budget that uploads keep, however much the conversation wants, from 0 to 1. Default 0.2. */
  readonly floor?: number | undefined;
  /** The share that uploads may have while room is short, from `floor` to 1. Default 0.6. */
  readonly ceiling?: number | undefined;
}

/**
 * Makes the step that gives uploads their share of the window. What the conversation does not use they may have, up to the ceiling; what
 * they do not use it may have; below the floor they are not cut for its sake. The longest is shortened first, and a line says how much is gone.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if the shares are not 0 ≤ floor ≤ ceiling ≤ 1.
 */
export function shareUploads(options: ShareUploadsOptions = {}): ReductionStep {
  const { floor = 0.2, ceiling = 0.6 } = options;
  if (!(floor >= 0 && floor <= ceiling && ceiling <= 1)) {
    throw new HistoryError(
      `Expected 0 ≤ \`floor\` ≤ \`ceiling\` ≤ 1, got ${floor} and ${ceiling}.`,
      { code: "INVALID_OPTION", details: { option: "uploads" } },
    );
  }
  return {
    name: "share-uploads",
    *propose(situation) {
      const { items, budget } = situation;
      const uploads = items.filter(isUpload);
      const used = tokensOf(uploads);
      const others = tokensOf(items) - used;
      const share = Math.min(Math.max(budget - others, budget * floor), budget * ceiling);
      yield* shorten(uploads, situation, used - share);
    },
  };
}

/** Makes the last resort for uploads: below their floor, down to a line each, and gone in the end. */
export function dropUploads(): ReductionStep {
  return {
    name: "drop-uploads",
    isLastResort: true,
    *propose(situation) {
      const uploads = situation.items.filter(isUpload);
      yield* shorten(uploads, situation, situation.excess);
      for (const item of uploads)
        yield { kind: "drop", item, reason: "nothing older is left to give" };
    },
  };
}

function shorten(
  uploads: readonly ReductionItem[],
  situation: ReductionSituation,
  excess: number,
): Iterable<ReductionProposal> {
  const entries = uploads.flatMap((item) => (item.isDropped ? [] : item.entries));
  return shortenToFit(entries, situation, {
    excess,
    least: SHORTEST,
    last: cleared(),
    along: { stubMedia: true },
    reason: "an upload beyond its share",
  });
}

/** Below this many characters a head and a tail say nothing. */
const SHORTEST = 60;

/** Returns whether an item is an upload that may be shortened. */
export function isUpload({ entries, isProtected }: ReductionItem): boolean {
  return entries[0]?.type === "attachment" && !isProtected;
}

function tokensOf(items: readonly ReductionItem[]): number {
  return items.reduce((sum, item) => sum + (item.isDropped ? 0 : item.tokens), 0);
}
