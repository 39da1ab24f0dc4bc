import { HistoryError } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

import { cleared, headAndTail } from "../internal/propose-results.ts";
import type { ReductionItem, ReductionProposal, ReductionStep } from "../reduction-step.ts";

/** Options of {@link shareUploads}. */
export interface ShareUploadsOptions {
  /** The share of the budget that uploads keep, however much the conversation wants, from 0 to 1. Default 0.2. */
  readonly floor?: number;
  /** The share that uploads may have while room is short, from `floor` to 1. Default 0.6. */
  readonly ceiling?: number;
}

/**
 * Makes the step that gives uploads their share of the window. What the conversation does not use they may have, up to the ceiling; what
 * they do not use it may have; below the floor they are not cut for its sake. The longest is shortened first, and a line says how much is gone.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` where the shares are not 0 ≤ floor ≤ ceiling ≤ 1.
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
    *propose({ items, budget, currentEntry }) {
      const uploads = items.filter(isUpload);
      const others = tokensOf(items) - tokensOf(uploads);
      const share = Math.min(Math.max(budget - others, budget * floor), budget * ceiling);
      yield* shorten(uploads, { until: share, currentEntry });
    },
  };
}

/** Makes the last resort for uploads: below their floor, down to a line each, and gone in the end. */
export function dropUploads(): ReductionStep {
  return {
    name: "drop-uploads",
    isLastResort: true,
    *propose({ items, currentEntry }) {
      const uploads = items.filter(isUpload);
      yield* shorten(uploads, { until: 0, currentEntry });
      for (const item of uploads)
        yield { kind: "drop", item, reason: "nothing older is left to give" };
    },
  };
}

/** Halves the longest upload, again and again, and leaves a line of it in the end. */
function* shorten(
  uploads: readonly ReductionItem[],
  limits: { readonly until: number; readonly currentEntry: (entry: HistoryEntry) => HistoryEntry },
): Generator<ReductionProposal> {
  const reason = "an upload beyond its share";
  const lengths = new Map<ReductionItem, number>();
  for (
    let item = longest();
    item !== undefined && tokensOf(uploads) > limits.until;
    item = longest()
  ) {
    const [entry] = item.entries;
    const characters = Math.floor((lengths.get(item) ?? item.tokens * 8) / 2);
    lengths.set(item, characters);
    if (entry === undefined) continue;
    const isLong = characters >= SHORTEST;
    const edit = isLong ? ({ ...headAndTail(characters), stubMedia: true } as const) : cleared();
    yield { kind: "edit", entry, edit, reason };
  }

  function longest(): ReductionItem | undefined {
    return uploads
      .filter((item) => !item.isDropped && (lengths.get(item) ?? SHORTEST) >= SHORTEST)
      .toSorted((one, other) => other.tokens - one.tokens)[0];
  }
}

/** Below so many characters a head and a tail say nothing. */
const SHORTEST = 60;

/** Tells whether an item is an upload that may be shortened. */
export function isUpload({ entries, isProtected }: ReductionItem): boolean {
  return entries[0]?.type === "attachment" && !isProtected;
}

function tokensOf(items: readonly ReductionItem[]): number {
  return items.reduce((sum, item) => sum + (item.isDropped ? 0 : item.tokens), 0);
}
