import { findQuestion, SUMMARY, SYSTEM_MESSAGE, throwIfAborted } from "@agent-history/core";
import type { HistoryEntry, HistoryQuery, Source, ToolAnswer } from "@agent-history/core";

import type { RecallToolOptions } from "../recall-tools.ts";
import { numberSources, sourceOfNumber } from "./citation-numbers.ts";
import {
  characterStart,
  ENTRY_SOURCE,
  excerptSource,
  longestWithin,
  originalText,
  quoteExcerpt,
} from "./recall-quote.ts";
import type { Excerpt } from "./recall-quote.ts";

/** The options of the tools with their defaults. */
export interface Recalling extends RecallToolOptions {
  readonly maxTokens: number;
  /** The names of the recall tools; their calls and answers only repeat other entries. */
  readonly toolNames: ReadonlySet<string>;
}

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
  const entries = searchable(await readSeen(recalling, signal), recalling);
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

/** Returns one original word for word, from a character on, as much as fits. */
export async function readOriginal(
  recalling: Recalling,
  { id, from }: { readonly id: string; readonly from: number },
  signal: AbortSignal | undefined,
): Promise<ToolAnswer> {
  const { store, threadId } = recalling;
  const mark = /^\[?(?:source)?(\d+)\]?$/u.exec(id)?.[1];
  const named = mark && (await sourceOfNumber({ store, threadId, signal }, Number(mark)));
  const entries = await readSeen(recalling, signal);
  const isMarked = ({ number }: Source): boolean => number === Number(mark);
  // The entry of this id or mark; else the newest result of a call of this id.
  const entry =
    entries.find((one) => one.id === id) ??
    entries.find((one) => `${ENTRY_SOURCE}${one.id}` === named) ??
    entries.find((one) => "sources" in one && one.sources?.some(isMarked)) ??
    entries.findLast((one) => one.type === "observation" && one.callId === id);
  if (entry === undefined) return refusal("No entry that you may read has this id.");
  const text = originalText(entry, new Set());
  if (text === "") return refusal("This entry has no text.");
  if (from >= text.length) return refusal(`This entry ends at character ${text.length}.`);
  const [number = 0] = await numberEntries(recalling, [entry], signal);
  const excerpt = { entry, number, text, from: characterStart(text, from), to: text.length };
  return quoteWithin(recalling, [excerpt]);
}

/** Reads the originals of what the agent may see. */
async function readSeen(
  { store, threadId, filter, context = {} }: RecallToolOptions,
  signal: AbortSignal | undefined,
): Promise<readonly HistoryEntry[]> {
  const query: HistoryQuery = filter?.query(context) ?? { clauses: [{}], view: "thread" };
  const cancellation = signal && { signal };
  const { entries } = await store.read(threadId, { query, originals: true, ...cancellation });
  return filter?.refine?.(entries, context) ?? entries;
}

/** Returns the numbers under which entries are quoted. */
async function numberEntries(
  { store, threadId }: RecallToolOptions,
  entries: readonly HistoryEntry[],
  signal: AbortSignal | undefined,
): Promise<readonly number[]> {
  const sources = entries.map(({ id }) => ({ id: `${ENTRY_SOURCE}${id}` }));
  const numbers = await numberSources({ store, threadId, signal }, sources);
  return sources.map(({ id }) => numbers.get(id) ?? 0);
}

/** Quotes as many excerpts as fit; the first is truncated if it does not fit alone. */
async function quoteWithin(
  { maxTokens, counter }: Recalling,
  excerpts: readonly Excerpt[],
): Promise<ToolAnswer> {
  const [first] = excerpts;
  const several = (count: number): readonly Excerpt[] => excerpts.slice(0, count + 1);
  const cut = (length: number): readonly Excerpt[] =>
    first === undefined ? [] : [{ ...first, to: characterStart(first.text, first.from + length) }];
  const longest = first === undefined ? 0 : first.to - first.from;
  for (const { shown, size } of [
    { shown: several, size: excerpts.length - 1 },
    { shown: cut, size: longest },
  ]) {
    const render = (length: number): string => shown(length).map(quoteExcerpt).join("\n\n");
    const within = await longestWithin({ size, render, maxTokens, counter });
    if (within === undefined) continue;
    const sources = shown(within.size).map(excerptSource);
    return { outcome: "success", content: within.text, sources };
  }
  return { outcome: "success", content: "", sources: [] };
}

/** An answer that says why nothing was found. */
export function refusal(content: string): ToolAnswer {
  return { outcome: "error", content, sources: [] };
}
