import type { TokenCounter } from "@agent-history/core";
import { cl100kBaseCounter } from "@agent-history/tokens/cl100k-base";
import { gptTokenizerCounter } from "@agent-history/tokens/gpt-tokenizer";
import { o200kBaseCounter } from "@agent-history/tokens/o200k-base";
import { get_encoding } from "tiktoken";

import { countSamples } from "../messages/count-samples.ts";
import type { ResultTable } from "../report/result-table.ts";
import { takeTurns } from "../report/take-turns.ts";
import type { Timing } from "../report/take-turns.ts";

/** How fast one counter counts one kind of text, and whether it says what the reference says. */
export interface CountFigures {
  readonly kind: string;
  readonly counter: string;
  readonly encoding: EncodingName;
  /** For a million tokens. */
  readonly million: Timing;
  /** How many times as fast as the library tiktoken, by the fastest runs. */
  readonly times: number;
  /** Texts on which it differs from the library. */
  readonly disagreements: number;
  readonly texts: number;
  readonly tokens: number;
}

type EncodingName = "o200k_base" | "cl100k_base";

const REFERENCE = "tiktoken itself";
/** One counter in a process, whichever made it: they share their table and the words that it remembers. */
const OWN = "tiktokenCounter, o200kBaseCounter";

/** What is unsteady is run twice again, and never on texts whose words are remembered. */
const MOST_RUNS = 3;

const OWN_COUNTERS: readonly (readonly [string, EncodingName, () => TokenCounter])[] = [
  [OWN, "o200k_base", () => o200kBaseCounter()],
  ["gptTokenizerCounter", "o200k_base", () => gptTokenizerCounter({ encoding: "o200k_base" })],
  ["cl100kBaseCounter", "cl100k_base", () => cl100kBaseCounter()],
];

/** What is measured, and how often. */
export interface CountRequest {
  readonly repeats: number;
  /** Of each kind of text. */
  readonly characters: number;
}

/** Measures each counter and the library on each kind of text; all take turns, and each turn has other texts than those before. */
export async function countAll({
  repeats,
  characters,
}: CountRequest): Promise<readonly CountFigures[]> {
  const figures: CountFigures[] = [];
  for (const [kind, texts] of countSamples(characters)) {
    figures.push(...(await measureKind(kind, texts, repeats)));
  }
  return figures;
}

interface Runner {
  readonly counter: string;
  readonly encoding: EncodingName;
  readonly count: (text: string) => number;
}

async function measureKind(
  kind: string,
  texts: readonly string[],
  repeats: number,
): Promise<readonly CountFigures[]> {
  const references = (["o200k_base", "cl100k_base"] as const).map((encoding) => ({
    encoding,
    library: get_encoding(encoding),
  }));
  const runners: readonly Runner[] = [
    ...references.map(({ encoding, library }) => ({
      counter: REFERENCE,
      encoding,
      count: (text: string) => library.encode_ordinary(text).length,
    })),
    ...OWN_COUNTERS.map(([counter, encoding, make]) => {
      const made = make();
      return { counter, encoding, count: (text: string) => made.countText(text) };
    }),
  ];
  const expected = new Map(
    references.map(({ encoding, library }) => [
      encoding,
      texts.map((text) => library.encode_ordinary(text).length),
    ]),
  );
  const timings = await takeTurns(
    runners.map(({ encoding, count }) =>
      turnsOf({ texts, counts: expected.get(encoding) ?? [], shares: repeats * MOST_RUNS }, count),
    ),
    repeats,
  );
  const figures = runners.flatMap(({ counter, encoding, count }, nth) => {
    const million = timings[nth];
    const counts = expected.get(encoding) ?? [];
    const reference = timings[runners.findIndex((one) => one.encoding === encoding)];
    if (million === undefined || reference === undefined) return [];
    const times = reference.minMs / million.minMs;
    const disagreements = texts.filter((text, at) => count(text) !== counts[at]).length;
    const tokens = counts.reduce((sum, one) => sum + one, 0);
    const size = { texts: texts.length, tokens };
    return [{ kind, counter, encoding, million, times, disagreements, ...size }];
  });
  for (const { library } of references) library.free();
  return figures;
}

/** Counts the next share of the texts at each call, and says what a million tokens would have taken. */
function turnsOf(
  given: {
    readonly texts: readonly string[];
    readonly counts: readonly number[];
    readonly shares: number;
  },
  count: (text: string) => number,
): () => number {
  const { texts, counts, shares } = given;
  let turn = 0;
  return () => {
    const isOfTurn = (_: unknown, at: number): boolean => at % shares === turn % shares;
    const some = texts.filter(isOfTurn);
    const tokens = counts.filter(isOfTurn).reduce((sum, one) => sum + one, 0);
    turn += 1;
    const start = performance.now();
    for (const text of some) count(text);
    return ((performance.now() - start) * 1_000_000) / Math.max(1, tokens);
  };
}

/** Draws what was found. */
export function countTable(figures: readonly CountFigures[]): ResultTable {
  const speed = (ms: number): string => `${(1000 / ms).toFixed(2)} M`;
  return {
    title: "Count: tokens a second, by kind of text",
    note: "The fastest run and the median; the counters and the library take turns, each turn with other texts, of at most 4,000 characters, so that only words are remembered which come again. Times: as fast as `encode_ordinary(text).length` of tiktoken with the same encoding, by the fastest runs. The mix has runs of Chinese characters of thousands of characters without a break, for which tiktoken takes quadratic time.",
    head: [
      "text",
      "counter",
      "encoding",
      "fastest",
      "median",
      "times tiktoken",
      "differs from tiktoken",
      "texts",
      "load",
    ],
    rows: figures.map(({ kind, counter, encoding, million, times, disagreements, texts }) => [
      kind,
      counter,
      encoding,
      speed(million.minMs),
      `${speed(million.medianMs)}${million.isUnsteady ? " (unsteady)" : ""}`,
      times.toFixed(1),
      `${disagreements}`,
      texts.toLocaleString("en"),
      million.load.toFixed(1),
    ]),
    figures,
  };
}

/** What is promised of text with spaces: at least so many times as fast as the library; of every text, the same counts. */
const LEAST_TIMES = 2;
const WITH_SPACES = /^(?:English|code|JSON)/;

/** Finds what counts otherwise than the library, or not as much faster as promised. */
export function brokenCounts(figures: readonly CountFigures[]): readonly string[] {
  return figures.flatMap(({ kind, counter, encoding, times, disagreements }) => [
    ...(disagreements > 0
      ? [`${counter} (${encoding}) differs from tiktoken on ${disagreements} texts, ${kind}.`]
      : []),
    ...(counter === OWN && WITH_SPACES.test(kind) && times < LEAST_TIMES
      ? [`${counter} is ${times.toFixed(1)} times as fast as tiktoken, ${kind}.`]
      : []),
  ]);
}
