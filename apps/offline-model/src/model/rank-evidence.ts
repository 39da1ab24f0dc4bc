import { coverage, weighTopic } from "./coverage.ts";
import type { Evidence } from "./evidence.ts";
import { keepBest } from "./keep-best.ts";
import type { KeepBestOptions } from "./keep-best.ts";
import type { Topic } from "./topic.ts";
import { weighEvidence } from "./weigh-evidence.ts";

/** Options of {@link rankEvidence}. */
export interface RankEvidenceOptions extends KeepBestOptions {
  /** Whether it is for a reader, to whom code tells less than words do. Default `false`. */
  readonly isAnswer?: boolean;
}

/** Code does and does not tell: a place worth reading, and a poor answer. */
const CODE_FACTOR = 0.45;
const CODE_LINE = /[;{}(),]$|=>|^(?:const|def|export|fn|function|import|let|return|var)\b/;

/** Ranks evidence that others gathered: each number once, best first. */
export function rankEvidence(
  evidence: readonly Evidence[],
  topic: Topic,
  options: RankEvidenceOptions,
): readonly Evidence[] {
  const unique = [...new Map(evidence.map((each) => [each.number, each])).values()];
  const texts = unique.map(({ quote }) => quote.join(" "));
  const weights = weighTopic(topic, texts);
  const weighed = unique.map((each) => {
    const score = weighEvidence(each, coverage(each.quote.join(" "), weights), weights);
    const ofForm = options.isAnswer === true && isCode(each) ? CODE_FACTOR : 1;
    return { evidence: each, score: score * ofForm };
  });
  return keepBest(weighed, topic, options);
}

function isCode({ quote }: Evidence): boolean {
  return quote.every((line) => CODE_LINE.test(line));
}
