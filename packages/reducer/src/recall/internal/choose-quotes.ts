import type { HistoryEntry } from "@agent-history/core";

import type { FitContext } from "../../internal/fit-context.ts";
import type { MaybeAsync } from "../../internal/maybe-async.ts";
import type { Block } from "../../internal/seal-plan.ts";
import { lengthOf } from "./candidates.ts";
import type { Candidate } from "./candidates.ts";
import { QUOTE_FORMAT, quoteBlock } from "./quote-block.ts";
import { dayOf, quoteEntry } from "./quote-entry.ts";
import { LEAST_ROOM, MOST_WINDOWS } from "./recall-settings.ts";

/** Where a block is to stand, and what it may have. */
export interface BlockSlot {
  readonly id: string;
  readonly before: Candidate;
  /** Tokens of the block at most. */
  readonly budget: number;
}

/** Quotes candidates, in order, as far as there is room. What stands in the prompt already spends its tokens and is not quoted. */
export function* chooseQuotes(
  order: Iterable<Candidate>,
  isVisible: (entry: HistoryEntry) => boolean,
  { id, before, budget }: BlockSlot,
  context: FitContext,
): MaybeAsync<Block | undefined> {
  const frame = yield* context.count(quoteBlock({ id }, [], before.entry));
  const dayTokens = yield* textTokens("[2000-01-01]", context);
  const taken: Candidate[] = [];
  const days = new Set<string | undefined>([undefined]);
  let left = budget - frame;
  let looked = MOST_WINDOWS * context.budget;
  for (const candidate of order) {
    if (left < LEAST_ROOM || looked <= 0) break;
    const { entry } = candidate;
    const isHidden = !isVisible(entry);
    // Half as many tokens as usual would not fit.
    if (isHidden && lengthOf(entry) > 2 * left) continue;
    const tokens = yield* quoteTokens(entry, context);
    looked -= tokens;
    const day = dayOf(entry);
    const cost = tokens + (isHidden && !days.has(day) ? dayTokens : 0);
    if (isHidden && cost > left) continue;
    left -= cost;
    if (!isHidden) continue;
    days.add(day);
    taken.push(candidate);
  }
  return yield* blockOf(taken, { id, before, budget }, context);
}

/** Makes a block, without the last of what was chosen where a count of the whole is more than the sum of its parts. */
function* blockOf(
  taken: Candidate[],
  { id, before, budget }: BlockSlot,
  { count }: FitContext,
): MaybeAsync<Block | undefined> {
  for (; taken.length > 0; taken.pop()) {
    const inOrder = taken.toSorted((one, other) => one.index - other.index);
    const quoted = inOrder.map(({ entry }) => entry);
    const entry = quoteBlock({ id }, quoted, before.entry);
    const tokens = yield* count(entry);
    if (tokens > budget) continue;
    const quotes = quoted.map((one) => one.id);
    const indexes = [...inOrder, before].map(({ index }) => index);
    const recall = { id, before: before.entry.id, quotes, indexes, tokens, format: QUOTE_FORMAT };
    return { recall, entry, quoted, at: before.index };
  }
  return undefined;
}

/** Entries do not change: a quotation is counted once by each counter. */
const sizes = new WeakMap<HistoryEntry, { readonly counterId: string; readonly tokens: number }>();

/** Tokens of a quotation. */
export function* quoteTokens(entry: HistoryEntry, context: FitContext): MaybeAsync<number> {
  const counterId = context.options.counter.id;
  const known = sizes.get(entry);
  if (known?.counterId === counterId) return known.tokens;
  const tokens = yield* textTokens(quoteEntry(entry), context);
  sizes.set(entry, { counterId, tokens });
  return tokens;
}

/** Tokens of a line within a block. */
function* textTokens(line: string, { count }: FitContext): MaybeAsync<number> {
  const empty = { type: "memory", id: "recall", createdAtMs: 0, content: "" } as const;
  return (yield* count({ ...empty, content: `${line}\n` })) - (yield* count(empty));
}
