import { quoteData } from "../gate/internal/quote-data.ts";
import type { WeighedFact } from "../gate/internal/weigh-facts.ts";
import { argumentTexts, commandOf } from "./argument-values.ts";
import { fileUses } from "./file-ledger.ts";
import type { ReadCall } from "./read-calls.ts";
import type { SummaryItem, SummaryLine } from "./summary-line.ts";

/** Names of code and other identifiers, a line for each file in which they last stood, and one for those of no file. */
export function nameLines(
  facts: readonly WeighedFact[],
  calls: readonly ReadCall[],
  maxTokens: number,
): readonly SummaryLine[] {
  const files = filesByPlace(calls);
  const noNames = keysAndTools(calls);
  for (const { kind, text } of facts) if (kind === "file") noNames.add(text.replace(/\.\w+$/, ""));
  const groups = new Map<string, SummaryItem[]>();
  for (const { kind, text, entries, isKey } of facts) {
    if (kind !== "identifier" || isKey || noNames.has(text) || !isName(text)) continue;
    const place = entries.at(-1) ?? 0;
    const file =
      entries
        .toReversed()
        .map((each) => files.get(each))
        .find((each) => each !== undefined) ?? "";
    const group = groups.get(file) ?? [];
    groups.set(file, group);
    group.push({ text: quoteData(text), says: new Set([text]), worth: 0, place });
  }
  const likely = likelyNames(facts, groups, maxTokens / TOKENS_OF_NAME);
  const rest: SummaryItem[] = [];
  const lines = [...groups].flatMap(([file, items]): readonly SummaryLine[] => {
    const count = items.reduce((sum, { text }) => sum + (likely.has(text) ? 1 : 0), 0);
    if (file !== "" && count >= LEAST_NAMES) {
      return [lineOf(`Names in ${quoteData(file)}: `, items)];
    }
    for (const item of items) rest.push(item);
    return [];
  });
  return [...lines, lineOf("Names: ", rest)];
}

/** A name with what joins it costs about so much, and a file has a line of its own for this many names. */
const TOKENS_OF_NAME = 12;
const LEAST_NAMES = 5;

function lineOf(head: string, items: readonly SummaryItem[]): SummaryLine {
  return { part: "names", head, joint: ", ", end: "", items };
}

/** The names that come first by weight: those that will mostly be chosen. */
function likelyNames(
  facts: readonly WeighedFact[],
  groups: ReadonlyMap<string, readonly SummaryItem[]>,
  count: number,
): ReadonlySet<string> {
  const names = new Set([...groups.values()].flat().map(({ text }) => text));
  const ranked = facts
    .filter(({ text }) => names.has(text))
    .toSorted((one, other) => other.weight - one.weight);
  return new Set(ranked.slice(0, Math.max(0, count)).map(({ text }) => text));
}

function isName(text: string): boolean {
  return /[a-z][A-Z]|\p{L}_|_\p{L}/u.test(text) && !/[\s.]/.test(text);
}

/** The file that an entry is about: the one that its call names. */
function filesByPlace(calls: readonly ReadCall[]): ReadonlyMap<number, string> {
  const files = new Map<number, string>();
  for (const call of calls) {
    if (commandOf(call.args) !== undefined) continue;
    const path = fileUses(call)[0]?.path;
    if (path === undefined) continue;
    const name = path.slice(path.lastIndexOf("/") + 1);
    files.set(call.place, name);
    if (call.resultPlace !== undefined) files.set(call.resultPlace, name);
  }
  return files;
}

/** Keys of arguments and names of tools say how a call is written, and nothing of the work. */
function keysAndTools(calls: readonly ReadCall[]): Set<string> {
  const names = new Set<string>();
  for (const { name, args } of calls) {
    names.add(name);
    if (typeof args === "object" && args !== null)
      for (const key of Object.keys(args)) names.add(key);
    for (const { key } of argumentTexts(args)) names.add(key);
  }
  return names;
}
