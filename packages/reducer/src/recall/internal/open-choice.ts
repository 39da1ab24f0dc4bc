import { throwIfAborted } from "@agent-history/core";
import type { HistoryEntry, RelevanceScorer } from "@agent-history/core";

import type { Request } from "../../internal/request.ts";
import { requireScores } from "../../internal/require-scores.ts";
import { namedFailure } from "../../internal/step-failed.ts";
import { settle } from "../../internal/task.ts";
import type { Task } from "../../internal/task.ts";
import { textOfEntry } from "../../internal/text-of-entry.ts";
import { isQuotable } from "./quote-entry.ts";
import { LEAST_LENGTH } from "./recall-settings.ts";

/** An entry that may be quoted. */
export interface Candidate {
  readonly entry: HistoryEntry;
  readonly place: number;
}

/** Gives what may be quoted before a question: messages before its turn, oldest first. */
export function candidatesOf(
  entries: readonly HistoryEntry[],
  at: number,
  quotesTools: boolean,
): readonly Candidate[] {
  const turnId = entries[at]?.turnId;
  let end = at;
  while (BESIDE_QUESTION.has(entries[end - 1]?.type)) end -= 1;
  const candidates: Candidate[] = [];
  for (let place = 0; place < end; place++) {
    const entry = entries[place];
    if (entry === undefined || !isQuotable(entry, quotesTools)) continue;
    if (turnId === undefined || entry.turnId !== turnId) candidates.push({ entry, place });
  }
  return candidates;
}

const BESIDE_QUESTION: ReadonlySet<string | undefined> = new Set(["user_message", "attachment"]);

/**
 * Orders candidates by what they are worth for their length, the newest first where they are worth the same; without those that are worth nothing.
 * Scores all of the view: a scorer that remembers a history indexes what is new.
 */
export function* orderByWorth(
  candidates: readonly Candidate[],
  question: string,
  { options }: Request,
): Task<readonly Candidate[]> {
  const { scorer, signal } = options;
  if (scorer === undefined || candidates.length === 0) return [];
  const scores = yield* ask(scorer, question, candidates, signal);
  return candidates
    .map((candidate, index) => ({
      candidate,
      key: (scores[index] ?? 0) / Math.max(LEAST_LENGTH, lengthOf(candidate.entry)),
    }))
    .filter(({ key }) => key > 0)
    .toSorted((one, other) => other.key - one.key || other.candidate.place - one.candidate.place)
    .map(({ candidate }) => candidate);
}

function* ask(
  scorer: RelevanceScorer,
  question: string,
  candidates: readonly Candidate[],
  signal: AbortSignal | undefined,
): Task<readonly number[]> {
  try {
    const entries = candidates.map(({ entry }) => entry);
    const scores = yield* settle(scorer.score(question, entries, signal));
    return requireScores(scorer, scores, entries.length);
  } catch (cause) {
    throwIfAborted(signal);
    throw namedFailure(scorer.name, cause);
  }
}

/** Entries do not change: each is measured once. */
const lengths = new WeakMap<HistoryEntry, number>();

/** About how many tokens an entry has, by its bytes: the same in every process, whatever was counted before. */
export function lengthOf(entry: HistoryEntry): number {
  const known = lengths.get(entry);
  if (known !== undefined) return known;
  const length = new TextEncoder().encode(textOfEntry(entry)).length / 4;
  lengths.set(entry, length);
  return length;
}
