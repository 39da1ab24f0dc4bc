import type { RelevanceScorer } from "@agent-history/core";
import { blendScorers, embeddingScorer } from "@agent-history/reducer";
import type { EmbeddingScorerOptions } from "@agent-history/reducer";
import { lexicalScorer } from "@agent-history/reducer/lexical";

import type { Dialogue } from "../messages/dialogue.ts";
import type { ResultTable } from "../report/result-table.ts";
import { percent } from "../report/statistics.ts";
import { fittedEvidence, FITTED_WINDOWS } from "./fitted-evidence.ts";
import type { FittedFigures } from "./fitted-evidence.ts";
import { recalledEvidence } from "./recalled-evidence.ts";
import type { RecalledFigures } from "./recalled-evidence.ts";

/** What a scorer keeps of the evidence of one source: by a stateless fit, and by incremental ones. */
export interface HybridFigures {
  readonly source: string;
  readonly scorer: string;
  readonly fitted: FittedFigures;
  readonly recalled: RecalledFigures;
}

/** The sources by their names. */
export type Sources = readonly (readonly [source: string, dialogues: readonly Dialogue[]])[];

/** Compares the lexical scorer, embeddings, and both together. Shows each figure as soon as it is there. */
export async function hybridFigures(
  sources: Sources,
  embed: EmbeddingScorerOptions["embed"],
  onFigures: (figures: HybridFigures) => void,
): Promise<readonly HybridFigures[]> {
  const all: HybridFigures[] = [];
  for (const [source, dialogues] of sources) {
    for (const [scorer, makeScorer] of Object.entries(scorersOf(embed))) {
      const [fitted] = await fittedEvidence(source, dialogues, makeScorer);
      const run = { source, dialogues, ways: ["defaults"], makeScorer } as const;
      const [recalled] = await recalledEvidence({ ...run, asking: "one question after another" });
      if (fitted === undefined || recalled === undefined) continue;
      all.push({ source, scorer, fitted, recalled });
      onFigures({ source, scorer, fitted, recalled });
    }
  }
  return all;
}

function scorersOf(
  embed: EmbeddingScorerOptions["embed"],
): Readonly<Record<string, () => RelevanceScorer>> {
  const both = (weight: number) => (): RelevanceScorer =>
    blendScorers([
      { scorer: lexicalScorer(), weight },
      { scorer: embeddingScorer({ embed }), weight: 1 },
    ]);
  return {
    lexicalScorer,
    embeddingScorer: () => embeddingScorer({ embed }),
    "both, equal weights": both(1),
    "both, the lexical one with four times the weight": both(4),
  };
}

/** Draws what was found. */
export function hybridTable(figures: readonly HybridFigures[]): ResultTable {
  const sizes = FITTED_WINDOWS.map((window) => window.toLocaleString("en"));
  return {
    title: "Hybrid: what sentence embeddings add to the lexical scorer",
    note: "Mean share of the messages that hold the answer which stand word for word in the prompt, by window in tokens: of a stateless fit (turns whole), and of incremental ones with recall blocks (one question after another) @ share of the prefix that is unchanged. Embeddings: Universal Sentence Encoder, light, 512 numbers.",
    head: ["scorer", ...sizes, ...sizes.map((size) => `incremental, ${size}`)],
    rows: figures.map(({ source, scorer, fitted, recalled }) => [
      `${source}, ${scorer}`,
      ...FITTED_WINDOWS.map((window) => percent(fitted.shares[window] ?? 0)),
      ...FITTED_WINDOWS.map((window) => {
        const { evidence = 0, prefix = 0 } = recalled.windows[window] ?? {};
        return `${percent(evidence)} @ ${percent(prefix)}`;
      }),
    ]),
    figures,
  };
}
