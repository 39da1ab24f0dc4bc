import { throwIfAborted } from "@agent-history/core";
import type { HistoryEntry, RelevanceScorer } from "@agent-history/core";

import type { ReductionItem } from "../reduction-step.ts";
import type { FitContext } from "./fit-context.ts";
import { waitFor } from "./maybe-async.ts";
import type { MaybeAsync } from "./maybe-async.ts";
import { requireScores } from "./require-scores.ts";
import { namedFailure } from "./step-failed.ts";
import { textOfEntry } from "./text-of-entry.ts";
import type { WorkingItem, Unit } from "./working-plan.ts";

/** Asks the scorer what each old item that may be dropped is worth; an item is worth its best entry. */
export function* scoreItems(
  items: readonly WorkingItem[],
  question: HistoryEntry | undefined,
  { options }: FitContext,
): MaybeAsync<void> {
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
): MaybeAsync<readonly number[]> {
  try {
    const scores = yield* waitFor(scorer.score(question, entries, signal));
    return requireScores(scorer, scores, entries.length);
  } catch (cause) {
    throwIfAborted(signal);
    throw namedFailure(scorer.name, cause);
  }
}

/** Items that say most for their length first, by a guess of their tokens; those without scores before all. */
export function byWorth(items: readonly WorkingItem[]): readonly WorkingItem[] {
  if (items.every(({ score }) => score === undefined)) return items.toReversed();
  const keys = new Map(
    items.map((item) => [
      item,
      keyOf({ score: item.score ?? Infinity, tokens: guessTokens(item.entries) }),
    ]),
  );
  return items.toReversed().toSorted((one, other) => (keys.get(other) ?? 0) - (keys.get(one) ?? 0));
}

/** Guesses tokens of what is not counted. */
function guessTokens(entries: readonly HistoryEntry[]): number {
  return entries.reduce((sum, entry) => sum + textOfEntry(entry).length / 4, 0);
}

/** What an item says for its length; infinite without a score. Below this many tokens length says nothing. */
export function keyOf({
  score = Infinity,
  tokens,
}: Pick<ReductionItem, "score" | "tokens">): number {
  return score > 0 ? score / Math.max(LEAST_TOKENS, tokens) : score;
}

const LEAST_TOKENS = 128;

/** Units with the highest worth first, that of their best item. Those without scores before all, the newer before the older. */
export function unitsByWorth(units: readonly Unit[]): readonly Unit[] {
  const worth = new Map(
    units.map((unit) => [unit, unit.items.reduce((best, item) => Math.max(best, keyOf(item)), 0)]),
  );
  return units
    .toReversed()
    .toSorted((one, other) => (worth.get(other) ?? 0) - (worth.get(one) ?? 0));
}
