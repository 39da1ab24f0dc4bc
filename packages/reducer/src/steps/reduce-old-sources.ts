import { citedSources, countOption } from "@agent-history/core";
import type {
  EntryEdit,
  HistoryEntry,
  ObservationEntry,
  RelevanceScorer,
  Source,
} from "@agent-history/core";

import { isThenable } from "../internal/maybe-async.ts";
import { proposeResults } from "../internal/propose-results.ts";
import { requireScores } from "../internal/require-scores.ts";
import { textOf, textOfEntry } from "../internal/text-of-entry.ts";
import type {
  ReductionItem,
  ReductionProposal,
  ReductionSituation,
  ReductionStep,
} from "../reduction-step.ts";

/** Options of {@link reduceOldSources}. */
export interface ReduceOldSourcesOptions {
  /** How many cited sources of each result stay. Default 1. */
  readonly floor?: number | undefined;
  /** Says which sources help to answer the question; they outlive the others. Default: none, the first ranks stay. */
  readonly scorer?: RelevanceScorer | undefined;
}

/**
 * Makes the step that drops sources of earlier turns that no answer cites, then the rest, by relevance and then by rank, down to a
 * floor. Numbers never change.
 */
export function reduceOldSources(options: ReduceOldSourcesOptions = {}): ReductionStep {
  const { scorer } = options;
  const floor = countOption("floor", options.floor ?? 1);
  return {
    name: "reduce-old-sources",
    propose: (situation, signal) => {
      const sources = situation.items
        .filter(isOld)
        .flatMap(({ entries }) => entries.flatMap(sourcesOf));
      if (sources.length === 0) return [];
      if (scorer === undefined) return proposeSources(situation, floor, new Map());
      const question = situation.question === undefined ? "" : textOfEntry(situation.question);
      const scores = scorer.score(question, sources.map(asEntry), signal);
      const proposals = (given: readonly number[]): Iterable<ReductionProposal> => {
        const worth = requireScores(scorer, given, sources.length);
        const worthOf = new Map(sources.map((source, nth) => [source, worth[nth] ?? 0]));
        return proposeSources(situation, floor, worthOf);
      };
      return isThenable(scores) ? scores.then(proposals) : proposals(scores);
    },
  };
}

function* proposeSources(
  situation: ReductionSituation,
  floor: number,
  worth: ReadonlyMap<Source, number>,
): Generator<ReductionProposal> {
  const cited = new Set(situation.items.flatMap(({ entries }) => entries.flatMap(citationsOf)));
  yield* proposeResults(situation, {
    of: isOld,
    edits: [keepOnly((sources) => sources.filter(({ number }) => cited.has(number)))],
    reason: "sources of an earlier turn that nothing cites",
  });
  yield* proposeResults(situation, {
    of: isOld,
    edits: [keepOnly((sources) => best(sources, floor, worth))],
    reason: "sources of an earlier turn, the least relevant first",
  });
}

function best(
  sources: readonly Source[],
  count: number,
  worth: ReadonlyMap<Source, number>,
): readonly Source[] {
  const ranked = sources.toSorted((one, other) => (worth.get(other) ?? 0) - (worth.get(one) ?? 0));
  const kept = new Set(ranked.slice(0, count));
  return sources.filter((source) => kept.has(source));
}

function keepOnly(
  choose: (sources: readonly Source[]) => readonly Source[],
): (entry: ObservationEntry) => EntryEdit | undefined {
  return ({ sources = [] }) => {
    const kept = choose(sources);
    return kept.length < sources.length ? { sources: kept.map(({ number }) => number) } : undefined;
  };
}

function isOld({ isOfThisTurn, isProtected }: ReductionItem): boolean {
  return !isOfThisTurn && !isProtected;
}

function sourcesOf(entry: HistoryEntry): NonNullable<ObservationEntry["sources"]> {
  return entry.type === "observation" ? (entry.sources ?? []) : [];
}

/** A source as a scorer reads it. */
function asEntry({ id, title = "", text }: Source): HistoryEntry {
  return { type: "global_observation", id, createdAtMs: 0, content: `${title}\n${text}` };
}

function citationsOf(entry: HistoryEntry): readonly number[] {
  const speaks = entry.type === "assistant_message" || entry.type === "final";
  return speaks ? citedSources(textOf(entry.content)) : [];
}
