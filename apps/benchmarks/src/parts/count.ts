import { execFileSync } from "node:child_process";

import type { TokenCounter } from "@agent-history/core";
import { tiktokenCounter } from "@agent-history/tokens";
import { gptTokenizerCounter } from "@agent-history/tokens/gpt-tokenizer";
import { get_encoding } from "tiktoken";

import { generateHistory } from "../messages/generate-history.ts";
import type { ResultTable } from "../report/result-table.ts";
import { median, milliseconds } from "../report/statistics.ts";

/** How fast one counter is, and whether it says what the reference says. */
export interface CountFigures {
  readonly counter: string;
  readonly tokensPerSecond: number;
  /** From nothing to the first count, in a process of its own. */
  readonly startMs: number;
  /** Texts on which it differs from the library tiktoken. */
  readonly disagreements: number;
  readonly texts: number;
}

const encoding = "o200k_base";
const COUNTERS = [
  {
    name: "tiktokenCounter",
    module: "@agent-history/tokens",
    make: (): TokenCounter => tiktokenCounter({ encoding }),
  },
  {
    name: "gptTokenizerCounter",
    module: "@agent-history/tokens/gpt-tokenizer",
    make: (): TokenCounter => gptTokenizerCounter({ encoding }),
  },
] as const;

/** Measures each counter on generated texts, none of which it has seen before. */
export function countAll({
  repeats,
  texts,
}: {
  readonly repeats: number;
  readonly texts: number;
}): readonly CountFigures[] {
  const samples = Array.from({ length: texts }, (_, seed) => generateHistory(seed + 500))
    .flat()
    .flatMap(({ content }) => (content === null || content === "" ? [] : [content]));
  const reference = get_encoding(encoding);
  const expected = samples.map((text) => reference.encode_ordinary(text).length);
  reference.free();
  const tokens = expected.reduce((sum, count) => sum + count, 0);
  return COUNTERS.map(({ name, module, make }) => {
    const times = Array.from({ length: repeats }, () => {
      const counter = make();
      const start = performance.now();
      for (const text of samples) counter.countText(text);
      return performance.now() - start;
    });
    const counter = make();
    return {
      counter: name,
      tokensPerSecond: (1000 * tokens) / median(times),
      startMs: median(Array.from({ length: repeats }, () => startTime(module, name))),
      disagreements: samples.filter((text, index) => counter.countText(text) !== expected[index])
        .length,
      texts: samples.length,
    };
  });
}

function startTime(module: string, name: string): number {
  const program = `const start = performance.now();
const { ${name} } = await import(${JSON.stringify(import.meta.resolve(module))});
${name}({ encoding: "${encoding}" }).countText("Hello");
process.stdout.write(String(performance.now() - start));`;
  const args = ["--input-type=module", "--eval", program];
  return Number(execFileSync(process.execPath, args, { encoding: "utf8" }));
}

/** Draws what was found. */
export function countTable(figures: readonly CountFigures[]): ResultTable {
  return {
    title: "Count: the counters",
    note: `o200k_base, ${figures[0]?.texts ?? 0} generated texts (English, Chinese characters, JSON). Start: from nothing to the first count.`,
    head: ["counter", "tokens a second", "start, ms", "differs from tiktoken"],
    rows: figures.map(({ counter, tokensPerSecond, startMs, disagreements }) => [
      counter,
      `${(tokensPerSecond / 1_000_000).toFixed(2)} M`,
      milliseconds(startMs),
      `${disagreements}`,
    ]),
    figures,
  };
}
