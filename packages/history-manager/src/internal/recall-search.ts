import { SUMMARY, SYSTEM_MESSAGE, findQuestion, throwIfAborted } from "@agent-history/core";
import type { HistoryEntry, ToolAnswer } from "@agent-history/core";

import { numberEntries, quoteWithin, readSeen } from "./recall-originals.ts";
import type { Recalling } from "./recall-originals.ts";
import { originalText } from "./recall-quote.ts";
import type { Excerpt } from "./recall-quote.ts";
import { characterStart } from "./truncate-to-tokens.ts";

/** Length of the excerpt around a match, in UTF-16 code units. */
const PASSAGE = 600;

const STEP = PASSAGE / 4;

/** Finds the originals that match a query best, and quotes the matching passage of each. */
export async function searchOriginals(
  recalling: Recalling,
  { query, limit }: { readonly query: string; readonly limit: number },
  signal: AbortSignal | undefined,
): Promise<ToolAnswer> {
  const { toolNames, scorer } = recalling;
  const entries = searchable(await readSeen(recalling, true, signal), recalling);
  const texts = entries.map((entry) => originalText(entry, toolNames).toLowerCase());
  const words = weighWords(query, texts);
  const scores =
    scorer === undefined
      ? texts.map((text) => weightOf(text, words))
      : await scorer.score(query, entries, signal);
  throwIfAborted(signal);
  const found = [...entries.keys()]
    .filter((index) => (scores[index] ?? 0) > 0)
    // Among equals, the newest first.
    .toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || b - a)
    .slice(0, limit)
    .flatMap((index) => entries[index] ?? []);
  if (found.length === 0) {
    return { outcome: "success", content: "No earlier entry matches.", sources: [] };
  }
  const numbers = await numberEntries(recalling, found, signal);
  const excerpts = found.map((entry, index) => {
    const text = originalText(entry, toolNames);
    return { entry, number: numbers[index] ?? 0, text, ...passage(text, words) };
  });
  return quoteWithin(recalling, excerpts);
}

/** Leaves out entries that are always shown, repeat others, or are empty. */
function searchable(
  entries: readonly HistoryEntry[],
  { toolNames }: Recalling,
): readonly HistoryEntry[] {
  const question = findQuestion(entries);
  return entries.filter((entry) => {
    if (entry === question || entry.type === SYSTEM_MESSAGE || entry.type === SUMMARY) return false;
    if (entry.type === "observation" && toolNames.has(entry.toolName)) return false;
    return originalText(entry, toolNames) !== "";
  });
}

/** Words of a query with their weights: rare words weigh more. */
type Words = readonly { readonly word: string; readonly weight: number }[];

function weighWords(query: string, texts: readonly string[]): Words {
  return wordsOf(query).map((word) => {
    const holding = texts.filter((text) => text.includes(word)).length;
    return { word, weight: Math.log(1 + texts.length / (1 + holding)) };
  });
}

function weightOf(text: string, words: Words): number {
  return words.reduce((sum, { word, weight }) => sum + (text.includes(word) ? weight : 0), 0);
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

/** The passage of a text with the highest weight. */
function passage(text: string, words: Words): Pick<Excerpt, "from" | "to"> {
  if (text.length <= PASSAGE) return { from: 0, to: text.length };
  let best = { start: 0, weight: -1 };
  for (let start = 0; start < text.length; start += STEP) {
    const weight = weightOf(text.slice(start, start + 2 * STEP).toLowerCase(), words);
    if (weight > best.weight) best = { start, weight };
  }
  // Whole lines if they are short.
  const line = text.lastIndexOf("\n", best.start) + 1;
  const from = characterStart(text, line < best.start - STEP ? best.start : line);
  const end = characterStart(text, from + PASSAGE);
  const lineEnd = end === text.length ? end : text.lastIndexOf("\n", end);
  return { from, to: lineEnd < best.start + 2 * STEP ? end : lineEnd };
}
