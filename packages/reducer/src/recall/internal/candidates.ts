import type { HistoryEntry } from "@agent-history/core";

import type { MaybeAsync } from "../../internal/maybe-async.ts";
import type { ContinuedFit, Planner } from "../../recall.ts";
import { isQuotable, saidBy } from "./quote-entry.ts";
import { LEAST_LENGTH } from "./recall-settings.ts";

/** An entry that may be quoted, or that a block stands before. */
export interface Candidate {
  readonly entry: HistoryEntry;
  readonly index: number;
}

/** Returns what may be quoted before a question: messages before its turn, oldest first. */
export function candidatesOf(
  entries: readonly HistoryEntry[],
  at: number,
  quotesTools: boolean,
): readonly Candidate[] {
  const turnId = entries[at]?.turnId;
  let end = at;
  while (BESIDE_QUESTION.has(entries[end - 1]?.type)) end -= 1;
  // Of what is there twice one is quoted.
  const candidates = new Map<string, Candidate>();
  for (const [index, entry] of entries.slice(0, end).entries()) {
    const isOfThisTurn = turnId !== undefined && entry.turnId === turnId;
    if (isQuotable(entry, quotesTools) && !isOfThisTurn) candidates.set(entry.id, { entry, index });
  }
  return [...candidates.values()];
}

const BESIDE_QUESTION: ReadonlySet<string | undefined> = new Set(["user_message", "attachment"]);

/**
 * Orders candidates by what they are worth for their length, the newest first where they are worth the same; without those that are worth nothing, or
 * less than a share of the best.
 * Scores all of the view: a scorer that remembers a history indexes what is new.
 */
export function* orderByWorth(
  candidates: readonly Candidate[],
  question: string,
  { context: { options } }: Pick<ContinuedFit, "context">,
  { askScorer }: Pick<Planner, "askScorer">,
  least = 0,
): MaybeAsync<readonly Candidate[]> {
  const { scorer, signal } = options;
  if (scorer === undefined || candidates.length === 0) return [];
  const entries = candidates.map(({ entry }) => entry);
  const scores = yield* askScorer(scorer, { question, entries, signal });
  return candidates
    .map((candidate, index) => ({
      ...candidate,
      key: (scores[index] ?? 0) / Math.max(LEAST_LENGTH, lengthOf(candidate.entry)),
    }))
    .toSorted((one, other) => other.key - one.key || other.index - one.index)
    .filter(({ key }, _, [best]) => key > least * (best?.key ?? 0));
}

/** Entries do not change: each is measured once. */
const lengths = new WeakMap<HistoryEntry, number>();

/** About how many tokens an entry has, by its bytes: the same in every process, whatever was counted before. */
export function lengthOf(entry: HistoryEntry): number {
  const known = lengths.get(entry);
  if (known !== undefined) return known;
  const length = new TextEncoder().encode(saidBy(entry)).length / 4;
  lengths.set(entry, length);
  return length;
}
