import { throwIfAborted } from "@agent-history/core";
import type { HistoryEntry, RelevanceScorer, ToolAnswer } from "@agent-history/core";

import { numberEntries } from "./recall-numbers.ts";
import { originalText, readSeen, searchable } from "./recall-originals.ts";
import type { Recalling } from "./recall-originals.ts";
import { excerptSource, quoteExcerpt } from "./recall-quote.ts";
import type { Excerpt } from "./recall-quote.ts";
import { characterStart, longestWithin } from "./truncate-to-tokens.ts";

/** What of a long entry is quoted around what was found, in UTF-16 code units. */
const PASSAGE = 600;

/** Finds the originals that say most of a query, best first, and quotes of each the passage that says it. */
export async function searchOriginals(
  recalling: Recalling,
  { query, limit = 5 }: { readonly query: string; readonly limit?: number | undefined },
  signal: AbortSignal | undefined,
): Promise<ToolAnswer> {
  const entries = searchable(await readSeen(recalling, true, signal), recalling);
  const { store, threadId, toolNames } = recalling;
  const texts = entries.map((entry) => originalText(entry, toolNames));
  const words = wordsOf(query);
  const scores = await scoreOriginals(recalling.scorer, { query, words, entries, texts }, signal);
  throwIfAborted(signal);
  const found = [...entries.keys()]
    .filter((index) => (scores[index] ?? 0) > 0)
    // Of equals the newest: what is said last holds.
    .toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || b - a)
    .slice(0, limit);
  if (found.length === 0) {
    return { outcome: "success", content: "Nothing earlier says this.", sources: [] };
  }
  const ids = found.flatMap((index) => entries[index]?.id ?? []);
  const numbers = await numberEntries({ store, threadId, signal }, ids);
  const excerpts = found.flatMap((index): readonly Excerpt[] => {
    const entry = entries[index];
    const text = texts[index] ?? "";
    const number = numbers.get(entry?.id ?? "");
    if (entry === undefined || number === undefined) return [];
    return [{ entry, number, text, ...passage(text, words) }];
  });
  return quoteWithin(recalling, excerpts);
}

/** As many excerpts as have room, the first cut short where it alone has none. */
async function quoteWithin(
  { maxTokens, counter }: Recalling,
  excerpts: readonly Excerpt[],
): Promise<ToolAnswer> {
  const several = (count: number): readonly Excerpt[] => excerpts.slice(0, count + 1);
  const cut = (length: number): readonly Excerpt[] =>
    excerpts.slice(0, 1).map((first) => ({
      ...first,
      to: characterStart(first.text, first.from + length),
    }));
  const size = excerpts.slice(0, 1).reduce((sum, { from, to }) => sum + to - from, 0);
  const ways = [
    { shown: several, size: excerpts.length - 1 },
    { shown: cut, size },
  ];
  for (const way of ways) {
    const render = (length: number): string => way.shown(length).map(quoteExcerpt).join("\n\n");
    const within = await longestWithin({ size: way.size, render, maxTokens, counter });
    if (within === undefined) continue;
    const sources = way.shown(within.size).map(excerptSource);
    return { outcome: "success", content: within.text, sources };
  }
  return { outcome: "success", content: "", sources: [] };
}

interface Searched {
  readonly query: string;
  readonly words: readonly string[];
  readonly entries: readonly HistoryEntry[];
  readonly texts: readonly string[];
}

async function scoreOriginals(
  scorer: RelevanceScorer | undefined,
  { query, words, entries, texts }: Searched,
  signal: AbortSignal | undefined,
): Promise<readonly number[]> {
  if (scorer !== undefined) return scorer.score(query, entries, signal);
  const lower = texts.map((text) => text.toLowerCase());
  const weights = words.map((word) => {
    const holding = lower.filter((text) => text.includes(word)).length;
    return { word, weight: Math.log(1 + lower.length / (1 + holding)) };
  });
  return lower.map((text) =>
    weights.reduce((sum, { word, weight }) => sum + (text.includes(word) ? weight : 0), 0),
  );
}

/** The words of a query, at most 32; scripts without spaces by pairs of characters. */
function wordsOf(query: string): readonly string[] {
  const runs = query.toLowerCase().match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [];
  const words = runs.flatMap((run) => (UNSPACED.test(run) ? pairsOf(run) : [run]));
  return [...new Set(words.length === 0 ? [query.toLowerCase()] : words)].slice(0, 32);
}

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

function pairsOf(run: string): readonly string[] {
  const characters = Array.from(run);
  if (characters.length < 3) return [run];
  return characters.slice(1).map((character, index) => `${characters[index] ?? ""}${character}`);
}

/** The lines of a text that hold most of the words, those counting most that the text rarely says. */
function passage(text: string, words: readonly string[]): Pick<Excerpt, "from" | "to"> {
  if (text.length <= PASSAGE) return { from: 0, to: text.length };
  const start = densest(matchesOf(text.toLowerCase(), words), PASSAGE / 2);
  const line = text.lastIndexOf("\n", start - 1) + 1;
  // Lower case may be longer than what it was made from: a place may lie behind the end.
  const from = characterStart(text, start - line <= PASSAGE / 4 ? line : start);
  const end = characterStart(text, from + PASSAGE);
  const lineEnd = end === text.length ? end : text.lastIndexOf("\n", end);
  return { from, to: lineEnd > from + PASSAGE / 2 ? lineEnd : end };
}

interface WordMatch {
  readonly at: number;
  readonly word: string;
  readonly weight: number;
}

/** At most this many places of one word are looked at. */
const MOST_MATCHES = 500;

/** Where words stand, in order. */
function matchesOf(text: string, words: readonly string[]): readonly WordMatch[] {
  return words
    .flatMap((word) => {
      const found: number[] = [];
      for (
        let at = text.indexOf(word);
        at >= 0 && found.length < MOST_MATCHES;
        at = text.indexOf(word, at + word.length)
      )
        found.push(at);
      return found.map((at) => ({ at, word, weight: 1 / found.length }));
    })
    .toSorted((one, other) => one.at - other.at);
}

/** Where the stretch of this many characters begins whose different words weigh most together. */
function densest(matches: readonly WordMatch[], length: number): number {
  let best = { start: 0, weight: 0 };
  const counts = new Map<string, number>();
  let weight = 0;
  let end = 0;
  for (const { at, word, weight: own } of matches) {
    for (
      let next = matches[end];
      next !== undefined && next.at < at + length;
      next = matches[++end]
    ) {
      const count = counts.get(next.word) ?? 0;
      if (count === 0) weight += next.weight;
      counts.set(next.word, count + 1);
    }
    if (weight > best.weight + 1e-9) best = { start: at, weight };
    const left = (counts.get(word) ?? 1) - 1;
    counts.set(word, left);
    if (left === 0) weight -= own;
  }
  return best.start;
}
