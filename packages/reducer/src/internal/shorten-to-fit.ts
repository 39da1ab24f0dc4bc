import type { EntryEdit, HistoryEntry } from "@agent-history/core";

import type { ReductionProposal, ReductionSituation } from "../reduction-step.ts";
import { headAndTail } from "./propose-results.ts";

/** What is shortened, by how much, and how far down. */
export interface ShortenOptions {
  /** Tokens to save. */
  readonly excess: number;
  /** This many characters of a text stay, or `last` is made of it. */
  readonly least: number;
  readonly last: EntryEdit;
  /** Is made along with each edit. */
  readonly along?: EntryEdit;
  readonly reason: string;
}

/**
 * Shortens texts, the longest first, to one common number of tokens, so that no more goes than must. How many characters that is, is
 * guessed from what each has now; what the guess leaves too much is guessed again. So a text is counted a few times, whatever the excess.
 *
 * @returns What of the excess is left.
 */
export function* shortenToFit(
  entries: readonly HistoryEntry[],
  { tokensOf, currentEntry }: ReductionSituation,
  { least, last, along, reason, ...options }: ShortenOptions,
): Generator<ReductionProposal, number> {
  let { excess } = options;
  let open = [...entries];
  for (let round = 1; excess > 0 && open.length > 0; round++) {
    open.sort((one, other) => tokensOf(other) - tokensOf(one));
    // Where guesses do not get there, more is asked of each.
    const level = commonLevel(open.map(tokensOf), excess * 2 ** Math.max(0, round - 3));
    const next: HistoryEntry[] = [];
    for (const entry of open) {
      const tokens = tokensOf(entry);
      if (excess <= 0 || tokens <= level) {
        next.push(entry);
        continue;
      }
      const room = roomOf(currentEntry(entry), level / tokens);
      const edit = room < least ? last : headAndTail(room);
      yield { kind: "edit", entry, edit: { ...along, ...edit }, reason };
      const saved = tokens - tokensOf(entry);
      excess -= saved;
      if (room >= least && saved > 0) next.push(entry);
    }
    open = level === 0 ? [] : next;
  }
  return excess;
}

/** The number of tokens that each may have at most, so that all together lose this many. Takes the largest first. */
function commonLevel(sizes: readonly number[], excess: number): number {
  let above = 0;
  for (const [index, size] of sizes.entries()) {
    above += size;
    const level = (above - excess) / (index + 1);
    if (level >= (sizes[index + 1] ?? 0)) return Math.max(0, Math.floor(level));
  }
  return 0;
}

/** How many characters each text of an entry may keep, so that a share of it is left, the marker of the cut included. */
export function roomOf(entry: HistoryEntry, share: number): number {
  const content = "content" in entry ? (entry.content ?? "") : "";
  const parts = typeof content === "string" ? [content] : content;
  const texts = parts.flatMap((part) => {
    if (typeof part === "string") return part;
    return part.type === "text" ? part.text : [];
  });
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  return Math.floor((length * share) / Math.max(texts.length, 1)) - MARKER;
}

/** Characters of the line that stands where a text was cut. */
const MARKER = 36;
