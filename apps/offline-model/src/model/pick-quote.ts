import { fileKind } from "../documents/file-kind.ts";
import { splitSentences } from "../language/split-sentences.ts";
import type { NumberedLine, Sentence } from "../language/split-sentences.ts";
import { coverage } from "./coverage.ts";
import type { TopicWeights } from "./coverage.ts";
import type { ShownSource } from "./tool-sources.ts";

/** The words of a source that say most about a topic, and how much that is. */
export interface Quote {
  readonly lines: readonly string[];
  readonly score: number;
}

const MAX_SENTENCES = 3;
const MAX_LENGTH = 420;
const MAX_UNDER_HEADING = 3;
/** What a word of the title is worth to each sentence below it. */
const TITLE_SHARE = 0.5;
/** A sentence explains; a heading says what is explained below it; a line of code has the word, and no more. */
const KIND_WEIGHT = { prose: 1, tag: 0.6, heading: 0.7, row: 0.6, code: 0.4 };

/** Picks up to three neighboring sentences of a source; nothing where no term of the topic stands in it. */
export function pickQuote(source: ShownSource, weights: TopicWeights): Quote | undefined {
  const isProse = fileKind(source.path) === "prose";
  const sentences = splitSentences(source.lines, { isProse });
  const ofTitle = TITLE_SHARE * coverage(source.title, weights);
  let best: { readonly start: number; readonly count: number; readonly score: number } | undefined;
  for (const start of sentences.keys()) {
    for (let count = 1; count <= MAX_SENTENCES; count++) {
      const window = sentences.slice(start, start + count);
      if (window.length < count || !isConnected(window)) break;
      const score = (coverage(joinText(window), weights) + ofTitle) * formFactor(window);
      if (score > (best?.score ?? 0)) best = { start, count, score };
    }
  }
  if (best === undefined) return undefined;
  const window = withContext(sentences, best.start, best.count);
  return { lines: exactLines(window, source.lines), score: best.score };
}

/** Goes on to the next sentence of the paragraph, which mostly says what the one before means, and from a heading to what it heads. */
function withContext(
  sentences: readonly Sentence[],
  start: number,
  count: number,
): readonly Sentence[] {
  const window = sentences.slice(start, start + count);
  const [next, ...rest] = sentences.slice(start + count);
  if (next === undefined) return window;
  if (window[0]?.kind === "heading") {
    const body = [next, ...rest.slice(0, MAX_UNDER_HEADING - 1)];
    return [...window, ...firstsWithin(body, MAX_LENGTH)];
  }
  if (window.some(({ kind, text }) => kind === "row" || text.endsWith(":"))) {
    return [...window, ...firstsWithin(untilHeading([next, ...rest]), MAX_LENGTH)];
  }
  return next.goesOn && isConnected([...window, next]) ? [...window, next] : window;
}

/** What a colon announces, and a row goes on to: the list, the table or the example below it. */
function untilHeading(sentences: readonly Sentence[]): readonly Sentence[] {
  const end = sentences.findIndex(({ kind }) => kind === "heading");
  return sentences.slice(0, end < 0 ? undefined : end);
}

/** The first sentences up to a length, one at least. */
function firstsWithin(sentences: readonly Sentence[], maxLength: number): readonly Sentence[] {
  let length = 0;
  return sentences.filter(({ text }, index) => {
    length += text.length;
    return index === 0 || length <= maxLength;
  });
}

function isConnected(window: readonly Sentence[]): boolean {
  const kind = window[0]?.kind;
  const length = window.reduce((sum, { text }) => sum + text.length, 0);
  if (window.length > 1 && length > MAX_LENGTH) return false;
  return window.every((sentence, index) => {
    const before = window[index - 1]?.pieces.at(-1)?.number ?? Infinity;
    return sentence.kind === kind && (sentence.pieces[0]?.number ?? 0) - before <= 2;
  });
}

/** What a quote is worth for how it reads, whatever it says. */
function formFactor(window: readonly Sentence[]): number {
  const kind = window[0]?.kind ?? "code";
  const text = joinText(window);
  const isFragment = kind !== "heading" && text.split(/\s+/, 5).length < 5;
  const isQuestion = text.trimEnd().endsWith("?");
  // A longer quote must earn its length.
  const length = 1 + text.length / 1_500;
  return (KIND_WEIGHT[kind] * (isFragment ? 0.6 : 1) * (isQuestion ? 0.5 : 1)) / length;
}

function joinText(window: readonly Sentence[]): string {
  return window.map(({ text }) => text).join(" ");
}

/** The window as it stands in the lines: of each line one exact part, nothing of a line without words. */
function exactLines(
  window: readonly Sentence[],
  lines: readonly NumberedLine[],
): readonly string[] {
  const pieces = window.flatMap((sentence) => sentence.pieces);
  const first = pieces[0]?.number ?? 0;
  const last = pieces.at(-1)?.number ?? 0;
  return lines
    .filter(({ number }) => number >= first && number <= last)
    .map(({ number, text }) => {
      const parts = pieces.filter((piece) => piece.number === number);
      const start = text.indexOf(parts[0]?.text ?? "");
      const end = parts.at(-1)?.text ?? "";
      return text.slice(start, text.indexOf(end, start) + end.length);
    });
}
