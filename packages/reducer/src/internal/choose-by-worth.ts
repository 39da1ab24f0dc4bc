import type { HistoryEntry } from "@agent-history/core";

import type { ReductionItem, ReductionSituation } from "../reduction-step.ts";
import { keyOf } from "./score-items.ts";
import { textOfEntry } from "./text-of-entry.ts";

/** What of some items stays in the room that there is. */
export interface Choice {
  /** As they are. */
  readonly whole: ReadonlySet<ReductionItem>;
  /** Shortened, as parts of turns of which something else stays. */
  readonly short: ReadonlySet<ReductionItem>;
}

/**
 * Chooses items by what they say for their length, the best first. The request and answer of their turn come along, shortened, until they are
 * chosen themselves. What does not fit is passed over.
 *
 * @param room - Tokens that all of them may have.
 */
export function chooseByWorth(
  items: readonly ReductionItem[],
  room: number,
  situation: Pick<ReductionSituation, "tokensOf" | "currentEntry">,
): Choice {
  const companions = new Map<number, ReductionItem[]>();
  for (const item of items) {
    if (item.mayGoFirst) continue;
    const known = companions.get(item.turn);
    if (known === undefined) companions.set(item.turn, [item]);
    else known.push(item);
  }
  const whole = new Set<ReductionItem>();
  const short = new Map<ReductionItem, number>();
  let left = room;
  for (const item of items.toReversed().toSorted((one, other) => keyOf(other) - keyOf(one))) {
    const others = (companions.get(item.turn) ?? []).filter(
      (other) => other !== item && !whole.has(other) && !short.has(other),
    );
    const sizes = others.map((other) => shortSize(other, situation));
    const more = sizes.reduce((sum, size) => sum + size, item.tokens - (short.get(item) ?? 0));
    if (more > left) continue;
    left -= more;
    whole.add(item);
    short.delete(item);
    for (const [nth, other] of others.entries()) short.set(other, sizes[nth] ?? 0);
  }
  return { whole, short: new Set(short.keys()) };
}

/** This many characters of a message stay where it is only a part of its turn. */
export const SHORT_LENGTH = 16;

/** About this many characters it then has with the marker, and at least this many tokens. */
const MARKED_LENGTH = SHORT_LENGTH + 36;
const LEAST_TOKENS = 18;

/** Returns whether a message may be shortened for lack of worth. */
export function isMessage({ type }: HistoryEntry): boolean {
  return MESSAGES.has(type);
}

const MESSAGES: ReadonlySet<string> = new Set([
  "user_message",
  "task",
  "assistant_message",
  "final",
  "synthesis",
]);

function shortSize(
  { entries }: ReductionItem,
  { tokensOf, currentEntry }: Pick<ReductionSituation, "tokensOf" | "currentEntry">,
): number {
  return entries.reduce((sum, entry) => {
    const tokens = tokensOf(entry);
    if (!isMessage(entry)) return sum + tokens;
    const share = MARKED_LENGTH / textOfEntry(currentEntry(entry)).length;
    return sum + Math.min(tokens, Math.max(LEAST_TOKENS, Math.ceil(tokens * share)));
  }, 0);
}
