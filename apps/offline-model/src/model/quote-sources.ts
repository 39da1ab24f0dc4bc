import { weighTopic } from "./coverage.ts";
import type { Evidence } from "./evidence.ts";
import { keepBest } from "./keep-best.ts";
import type { KeepBestOptions } from "./keep-best.ts";
import { pickQuote } from "./pick-quote.ts";
import type { ShownSource } from "./tool-sources.ts";
import type { Topic } from "./topic.ts";
import { weighEvidence } from "./weigh-evidence.ts";

/** In a report, what is not at least so good as the best is left out. */
const MIN_SHARE = 0.4;

/** Takes from sources the quotes that say most about a topic, best first. */
export function quoteSources(
  sources: readonly ShownSource[],
  topic: Topic,
  options: Pick<KeepBestOptions, "maxCount" | "standings">,
): readonly Evidence[] {
  const texts = sources.map(({ lines }) => lines.map(({ text }) => text).join("\n"));
  const weights = weighTopic(topic, texts);
  const weighed = sources.flatMap((source) => {
    const quote = pickQuote(source, weights);
    if (quote === undefined) return [];
    const { lines: _, ...location } = source;
    const evidence: Evidence = { ...location, quote: quote.lines };
    return [{ evidence, score: weighEvidence(evidence, quote.score, weights) }];
  });
  return keepBest(weighed, topic, { ...options, minShare: MIN_SHARE });
}
