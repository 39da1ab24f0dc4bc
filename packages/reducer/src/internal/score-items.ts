import { throwIfAborted } from "@agent-history/core";
import type { HistoryEntry, RelevanceScorer } from "@agent-history/core";

import type { ReductionItem } from "../reduction-step.ts";
import type { DraftItem, Unit } from "./draft.ts";
import type { Request } from "./request.ts";
import { requireScores } from "./require-scores.ts";
import { namedFailure } from "./step-failed.ts";
import { settle } from "./task.ts";
import type { Task } from "./task.ts";
import { textOfEntry } from "./text-of-entry.ts";

/** Asks the scorer what each old item that may be dropped is worth; an item is worth its best entry. */
export function* scoreItems(
  items: readonly DraftItem[],
  question: HistoryEntry | undefined,
  { options }: Request,
): Task<void> {
  const { scorer, signal } = options;
  if (scorer === undefined) return;
  const scored = items.filter(({ isProtected, isOfThisTurn }) => !isProtected && !isOfThisTurn);
  const entries = scored.flatMap((item) => item.entries);
  const asked = question === undefined ? "" : textOfEntry(question);
  const scores = yield* askScorer(scorer, { question: asked, entries, signal });
  let next = 0;
  for (const item of scored) {
    let best = -Infinity;
    for (const end = next + item.entries.length; next < end; next++)
      best = Math.max(best, scores[next] ?? 0);
    item.score = best;
  }
}

/** Asks a scorer, and checks what it says. */
export function* askScorer(
  scorer: RelevanceScorer,
  {
    question,
    entries,
    signal,
  }: {
    readonly question: string;
    readonly entries: readonly HistoryEntry[];
    readonly signal: AbortSignal | undefined;
  },
): Task<readonly number[]> {
  try {
    const scores = yield* settle(scorer.score(question, entries, signal));
    return requireScores(scorer, scores, entries.length);
  } catch (cause) {
    throwIfAborted(signal);
    throw namedFailure(scorer.name, cause);
  }
}

/** Items with the highest score first; those without one before all. */
export function byWorth(items: readonly DraftItem[]): readonly DraftItem[] {
  return items
    .toReversed()
    .toSorted((one, other) => (other.score ?? Infinity) - (one.score ?? Infinity));
}

/** Units with the highest worth first: of the best item, for the tokens of all. Those without scores before all, the newer before the older. */
export function unitsByWorth(units: readonly Unit[]): readonly Unit[] {
  return units.toReversed().toSorted((one, other) => worthOf(other.items) - worthOf(one.items));
}

/** What items are worth together. */
export function worthOf(items: readonly ReductionItem[]): number {
  let best = -Infinity;
  let tokens = 0;
  for (const item of items) {
    best = Math.max(best, item.score ?? Infinity);
    tokens += item.tokens;
  }
  // Below so many tokens size says nothing.
  return best > 0 ? best / Math.max(128, tokens) : best;
}
