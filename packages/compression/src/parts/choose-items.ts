import { scoreHeap } from "./score-heap.ts";
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
  const heap = scoreHeap<Offer>();
  const byLine = new Map<SummaryLine, Offer[]>();
  for (const offer of offers) {
    if (selection.items.has(offer.item) || offer.tokens > maxTokens) continue;
    heap.push(offer, scoreOf(offer, selection, choice));
    const line = byLine.get(offer.line);
    if (line === undefined) byLine.set(offer.line, [offer]);
    else line.push(offer);
  }
  let left = maxTokens;
  for (let offer = heap.pop(); offer !== undefined; offer = heap.pop()) {
    if (selection.items.has(offer.item)) continue;
    const tokens = costOf(offer, selection, choice);
    const score = tokens > left ? 0 : scoreOf(offer, selection, choice);
    if (score <= 0) continue;
    if (score < heap.best()) {
      heap.push(offer, score);
      continue;
    }
    const isBegun = selection.lines.has(offer.line);
    take(offer, selection);
    left -= tokens;
    // The head is paid: what else stands on the line costs less than it did.
    for (const other of isBegun ? [] : (byLine.get(offer.line) ?? [])) {
      if (!selection.items.has(other.item)) heap.push(other, scoreOf(other, selection, choice));
    }
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

/** What a fact is worth beside the thing that it belongs to, above what it is worth alone: also where it is known. */
const RELATION = 0.8;

function scoreOf(offer: Offer, selection: Selection, choice: ItemChoice): number {
  const { line, item } = offer;
  let sum = item.worth;
  for (const word of item.says) if (!selection.known.has(word)) sum += choice.worth(word);
  if (line.isRecord === true) {
    for (const word of item.says) sum += RELATION * choice.worth(word);
  }
  if (!selection.lines.has(line)) {
    for (const word of line.says ?? []) if (!selection.known.has(word)) sum += choice.worth(word);
  }
  return sum / Math.max(1, costOf(offer, selection, choice));
}
