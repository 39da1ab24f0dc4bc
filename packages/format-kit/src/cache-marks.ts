import type { HistoryEntry, ReductionPlan } from "@agent-history/core";

/**
 * Returns the places in a prompt where it is stable, as how many of its entries stand before: what the call before sent, or else what is settled; and what stands before the newest recall
 * block. Linear.
 */
export function stableCounts(
  entries: readonly HistoryEntry[],
  plan: ReductionPlan,
): readonly number[] {
  const blocks = new Set([plan.head, ...(plan.recalls ?? [])].map((recall) => recall?.id));
  const until = Math.min(plan.settledUntil, plan.continued?.entryCount ?? Infinity);
  let index = 0;
  let count = 0;
  for (const { entryCount, action } of plan.decisions) {
    const within = Math.min(entryCount, until - index);
    if (within <= 0) break;
    const kept = { keep: within, edit: within, summarize: 1, drop: 0 }[action.kind];
    for (let left = kept; left > 0; left -= 1) {
      while (blocks.has(entries[count]?.id)) count += 1;
      count += 1;
    }
    index += within;
  }
  const newest = plan.recalls?.at(-1)?.id;
  const block = entries.findLastIndex(({ id }) => id === newest);
  return newest === undefined || block < 0 ? [count] : [count, block];
}

/** How a format marks where Anthropic caches the prompt. */
export interface CacheMarks {
  /** Returns a message that carries a mark; `undefined` if it may carry none. */
  readonly mark: (message: object) => object | undefined;
  /** Returns the lifetimes of the marks that a message came with. */
  readonly marksOf: (message: object) => readonly Lifetime[];
  readonly isSystem: (message: object) => boolean;
  /** Returns how many messages some entries are written as. */
  readonly lengthOf: (entries: readonly HistoryEntry[]) => number;
  /** How many marks the request has beside its messages. Default 0. */
  readonly beside?: number | undefined;
}

type Lifetime = "5m" | "1h";

/** What Anthropic takes. */
const MOST_MARKS = 4;

/**
 * Marks messages where Anthropic caches the prompt: at the end, where the plan says that it is stable, and behind the instructions. With the marks that messages came with there are at most four;
 * those stay where they are, and none is placed before one that lives for an hour. Linear.
 */
export function markStable(
  messages: readonly object[],
  entries: readonly HistoryEntry[],
  plan: ReductionPlan,
  { mark, marksOf, isSystem, lengthOf, beside = 0 }: CacheMarks,
): readonly object[] {
  const own = messages.map(marksOf);
  const marked = [...messages];
  let free = MOST_MARKS - beside - own.flat().length;
  const first = own.findLastIndex((lifetimes) => lifetimes.includes("1h"));
  const begin = messages.findIndex((message) => !isSystem(message));
  const stable = stableCounts(entries, plan).map((count) => lengthOf(entries.slice(0, count)));
  const places = [messages.length, ...stable.toReversed(), begin < 0 ? messages.length : begin];
  for (const place of places) {
    for (let at = place - 1; at >= 0 && at > first && free > 0; at -= 1) {
      const message = messages[at];
      if (message === undefined || marked[at] !== message || own[at]?.length !== 0) break;
      const carrying = mark(message);
      if (carrying === undefined) continue;
      marked[at] = carrying;
      free -= 1;
      break;
    }
  }
  return marked;
}
