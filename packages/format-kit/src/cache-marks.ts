import type { HistoryEntry, ReductionPlan } from "@agent-history/core";

/**
 * Returns the boundaries of a prompt's stable prefixes, each as a number of leading entries: the entries that the previous call sent (otherwise the settled ones), and the entries before the newest
 * recall block. Linear.
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

/** How a format marks Anthropic cache breakpoints. */
export interface CacheMarks {
  readonly write: (entries: readonly HistoryEntry[]) => readonly object[];
  /** Returns the message with a mark; `undefined` if it cannot have one. */
  readonly mark: (message: object, messages: readonly object[]) => object | undefined;
  readonly isSystem: (message: object) => boolean;
  /** Other parts of the request that may have marks: instructions, tools, options of the call. Default: none. */
  readonly beside?: readonly unknown[] | undefined;
}

/** Anthropic's limit of cache breakpoints per request. */
const MOST_MARKS = 4;

/**
 * Writes entries with cache marks for Anthropic: at the end, at the stable boundaries of the plan, and after the instructions. Existing marks stay and count toward
 * the limit of four; no mark is placed before one with a one-hour lifetime, because Anthropic requires longer lifetimes first. Linear.
 */
export function markStable(
  entries: readonly HistoryEntry[],
  plan: ReductionPlan,
  { write, mark, isSystem, beside = [] }: CacheMarks,
): readonly object[] {
  const messages = write(entries);
  const own = messages.map(marksIn);
  const marked = [...messages];
  let free = MOST_MARKS - marksIn(beside).length - own.flat().length;
  const first = own.findLastIndex((lifetimes) => lifetimes.includes("1h"));
  const begin = messages.findIndex((message) => !isSystem(message));
  const stable = stableCounts(entries, plan).map((count) => write(entries.slice(0, count)).length);
  const places = [messages.length, ...stable.toReversed(), begin < 0 ? messages.length : begin];
  for (const place of places) {
    for (let at = place - 1; at >= 0 && at > first && free > 0; at -= 1) {
      const message = messages[at];
      if (message === undefined || marked[at] !== message || own[at]?.length !== 0) break;
      const carrying = mark(message, messages);
      if (carrying === undefined) continue;
      marked[at] = carrying;
      free -= 1;
      break;
    }
  }
  return marked;
}

/** Returns the lifetimes of the cache marks in a value (a message with its parts, a tool, or options of a call), in the notation of the AI SDK and LangChain. */
export function marksIn(value: unknown): readonly ("5m" | "1h")[] {
  if (Array.isArray(value)) return value.flatMap(marksIn);
  if (typeof value !== "object" || value === null) return [];
  const { cache_control: wire, cacheControl: mark = wire, ...fields }: Marked = value;
  const inner = ["providerOptions", "anthropic", "content", "output", "value", "extras"];
  const others = inner.flatMap((key) => marksIn(Reflect.get(fields, key)));
  return mark ? [mark.ttl === "1h" ? "1h" : "5m", ...others] : others;
}

interface Marked {
  readonly cache_control?: { readonly ttl?: unknown } | null;
  readonly cacheControl?: { readonly ttl?: unknown } | null;
}
