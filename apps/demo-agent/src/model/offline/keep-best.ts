import type { Evidence } from "./evidence.ts";
import type { Topic } from "./topic.ts";
import { isAboutTopic } from "./weigh-evidence.ts";

/** Evidence and how much it tells. */
export interface WeighedEvidence {
  readonly evidence: Evidence;
  readonly score: number;
}

/** What is kept. */
export interface KeepBestOptions {
  readonly maxCount: number;
  /** How good each must be, as a share of the best. Default 0: all that is about the topic. */
  readonly minShare?: number;
}

/** What a file that the request names is worth. */
const NAMED_FILE_FACTOR = 3;

/** Keeps what tells most of a topic, best first, each text once; equals stay in their order. */
export function keepBest(
  weighed: readonly WeighedEvidence[],
  topic: Topic,
  { maxCount, minShare = 0 }: KeepBestOptions,
): readonly Evidence[] {
  const relevant = weighed
    .filter(({ evidence }) => isAboutTopic(evidence, topic))
    .map(({ evidence, score }) => ({
      evidence,
      score: topic.paths.includes(evidence.path) ? score * NAMED_FILE_FACTOR : score,
    }))
    .toSorted((a, b) => b.score - a.score);
  const least = (relevant[0]?.score ?? 0) * minShare;
  const best = relevant.filter(({ score }) => score >= least).map(({ evidence }) => evidence);
  return withoutEchoes(best).slice(0, maxCount);
}

/** A copy of a text says nothing new. */
function withoutEchoes(evidence: readonly Evidence[]): readonly Evidence[] {
  const said = new Set<string>();
  return evidence.filter(({ quote }) => {
    const words = quote.join("\n");
    const isNew = !said.has(words);
    said.add(words);
    return isNew;
  });
}
