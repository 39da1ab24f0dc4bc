import type { ProseCandidate } from "./prose-candidates.ts";

/** A sentence, what it costs, and what it still adds to what was chosen before. */
export interface Offer {
  readonly candidate: ProseCandidate;
  readonly tokens: number;
}

/** What choosing needs to know. */
export interface ProseChoice {
  /** What a word adds that stands nowhere yet. */
  readonly worth: (word: string) => number;
  /** What a sentence adds by itself. */
  readonly interest: (candidate: ProseCandidate) => number;
  /** Words that stand somewhere already; those of chosen sentences are added. */
  readonly known: Set<string>;
}

/**
 * Chooses the sentences that add most for their tokens, up to a number of tokens. What a sentence adds only falls while
 * others are chosen: one is looked at again only when it comes to the top. Near-linear.
 */
export function chooseProse(
  offers: readonly Offer[],
  maxTokens: number,
  choice: ProseChoice,
): readonly ProseCandidate[] {
  const heap = offers.map((offer) => ({ offer, score: scoreOf(offer, choice) }));
  for (let at = (heap.length >> 1) - 1; at >= 0; at--) sink(heap, at);
  const chosen: ProseCandidate[] = [];
  let left = maxTokens;
  while (heap.length > 0) {
    const [top] = heap;
    if (top === undefined || top.score <= 0) break;
    const score = top.offer.tokens > left ? 0 : scoreOf(top.offer, choice);
    const isBest = score >= Math.max(heap[1]?.score ?? 0, heap[2]?.score ?? 0);
    if (score > 0 && isBest) {
      chosen.push(top.offer.candidate);
      left -= top.offer.tokens;
      for (const word of top.offer.candidate.words) choice.known.add(word);
    }
    if (score > 0 && !isBest) heap[0] = { offer: top.offer, score };
    else {
      const last = heap.pop();
      if (last !== undefined && heap.length > 0) heap[0] = last;
    }
    sink(heap, 0);
  }
  return chosen;
}

function scoreOf({ candidate, tokens }: Offer, { worth, interest, known }: ProseChoice): number {
  let sum = interest(candidate);
  for (const word of candidate.words) if (!known.has(word)) sum += worth(word);
  return sum / Math.max(1, tokens);
}

/** Restores the order of a heap, the greatest score first, after the one at `start` fell. */
function sink(heap: { readonly offer: Offer; readonly score: number }[], start: number): void {
  for (let at = start; ;) {
    const child = [2 * at + 1, 2 * at + 2].reduce(
      (best, each) => ((heap[each]?.score ?? -1) > (heap[best]?.score ?? -1) ? each : best),
      at,
    );
    const [one, other] = [heap[at], heap[child]];
    if (child === at || one === undefined || other === undefined) return;
    heap[at] = other;
    heap[child] = one;
    at = child;
  }
}
