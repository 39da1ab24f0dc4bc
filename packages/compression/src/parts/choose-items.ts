import type { SummaryItem, SummaryLine } from "./summary-line.ts";

/** An item, its line, and what it costs there. */
export interface Offer {
  readonly line: SummaryLine;
  readonly item: SummaryItem;
  /** Tokens of the item, and of what joins it. */
  readonly tokens: number;
}

/** What was chosen so far; choosing adds to it. */
export interface Selection {
  readonly items: Set<SummaryItem>;
  readonly lines: Set<SummaryLine>;
  /** Facts that the chosen items state. */
  readonly known: Set<string>;
  /** In the order of choosing. */
  readonly offers: Offer[];
}

/** What choosing needs to know. */
export interface ItemChoice {
  /** What a fact adds that no part has yet. */
  readonly worth: (word: string) => number;
  /** Tokens of the head of a line; they are paid with its first item. */
  readonly headTokens: (line: SummaryLine) => number;
}

export function emptySelection(): Selection {
  return { items: new Set(), lines: new Set(), known: new Set(), offers: [] };
}

/**
 * Chooses the items that add most for their tokens, up to a number of tokens. What an item adds mostly falls while others are
 * chosen: one is looked at again only when it comes to the top. Near-linear.
 *
 * @returns The tokens that were used.
 */
export function chooseItems(
  offers: readonly Offer[],
  maxTokens: number,
  selection: Selection,
  choice: ItemChoice,
): number {
  const heap = offers
    .filter(({ item }) => !selection.items.has(item))
    .map((offer) => ({ offer, score: scoreOf(offer, selection, choice) }));
  for (let at = (heap.length >> 1) - 1; at >= 0; at--) sink(heap, at);
  let left = maxTokens;
  while (heap.length > 0) {
    const [top] = heap;
    if (top === undefined || top.score <= 0) break;
    const tokens = costOf(top.offer, selection, choice);
    const score = tokens > left ? 0 : scoreOf(top.offer, selection, choice);
    const isBest = score >= Math.max(heap[1]?.score ?? 0, heap[2]?.score ?? 0);
    if (score > 0 && isBest) {
      take(top.offer, selection);
      left -= tokens;
    }
    if (score > 0 && !isBest) heap[0] = { offer: top.offer, score };
    else {
      const last = heap.pop();
      if (last !== undefined && heap.length > 0) heap[0] = last;
    }
    sink(heap, 0);
  }
  return maxTokens === Infinity ? 0 : maxTokens - left;
}

/** Chooses items in the order given, as long as they fit: what comes first is wanted first. */
export function chooseInOrder(
  offers: readonly Offer[],
  maxTokens: number,
  selection: Selection,
  choice: ItemChoice,
): number {
  let left = maxTokens;
  const closed = new Set<SummaryLine>();
  for (const offer of offers) {
    if (selection.items.has(offer.item) || closed.has(offer.line)) continue;
    const tokens = costOf(offer, selection, choice);
    if (tokens > left) {
      if (offer.line.isSequence === true) closed.add(offer.line);
      continue;
    }
    take(offer, selection);
    left -= tokens;
  }
  return maxTokens === Infinity ? 0 : maxTokens - left;
}

function take(offer: Offer, { items, lines, known, offers }: Selection): void {
  items.add(offer.item);
  lines.add(offer.line);
  offers.push(offer);
  for (const word of offer.item.says) known.add(word);
  for (const word of offer.line.says ?? []) known.add(word);
}

function costOf({ line, tokens }: Offer, { lines }: Selection, choice: ItemChoice): number {
  return lines.has(line) ? tokens : tokens + choice.headTokens(line);
}

function scoreOf(offer: Offer, selection: Selection, choice: ItemChoice): number {
  const { line, item } = offer;
  let sum = item.worth;
  for (const word of item.says) if (!selection.known.has(word)) sum += choice.worth(word);
  if (!selection.lines.has(line)) {
    for (const word of line.says ?? []) if (!selection.known.has(word)) sum += choice.worth(word);
  }
  return sum / Math.max(1, costOf(offer, selection, choice));
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
