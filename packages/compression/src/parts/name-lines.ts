import { scanWords } from "../facts/internal/scan-words.ts";
import { quoteData } from "../gate/internal/quote-data.ts";
import type { WeighedFact } from "../gate/internal/weigh-facts.ts";
import { argumentTexts, commandOf, withoutHeredocs } from "./argument-values.ts";
import { chanceOfName } from "./chance-of-return.ts";
import { fileUses } from "./file-ledger.ts";
import type { ReadCall } from "./read-calls.ts";
import type { SummaryItem, SummaryLine } from "./summary-line.ts";

/** Names of code and other identifiers, a line for each file in which they last stood, and one for those of no file. */
export function nameLines(
  facts: readonly WeighedFact[],
  calls: readonly ReadCall[],
  { size, maxTokens }: { readonly size: number; readonly maxTokens: number },
): readonly SummaryLine[] {
  const files = filesByIndex(calls);
  const lookedFor = namesLookedFor(calls);
  const noNames = keysAndTools(calls);
  for (const { kind, text } of facts) if (kind === "file") noNames.add(text.replace(/\.\w+$/, ""));
  const groups = new Map<string, SummaryItem[]>();
  for (const fact of facts) {
    const { kind, text, entries, isKey } = fact;
    const lookedForAt = lookedFor.get(text);
    if (kind !== "identifier" || noNames.has(text) || !isName(text)) continue;
    if (isKey && lookedForAt === undefined) continue;
    const index = entries.at(-1) ?? 0;
    const file =
      entries
        .toReversed()
        .map((each) => files.get(each))
        .find((each) => each !== undefined) ?? "";
    const group = groups.get(file) ?? [];
    groups.set(file, group);
    const chance = chanceOfName(fact, size, lookedForAt);
    group.push({ text: quoteData(text), says: new Set([text]), worth: 0, index, chance });
  }
  const likely = likelyNames(groups, maxTokens / TOKENS_OF_NAME);
  const rest: SummaryItem[] = [];
  const lines = [...groups].flatMap(([file, items]): readonly SummaryLine[] => {
    const count = items.reduce((sum, item) => sum + (likely.has(item) ? 1 : 0), 0);
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
  return { part: "names", head, joint: " ", end: "", items };
}

/** The names that come first by their chance: those that will mostly be chosen. */
function likelyNames(
  groups: ReadonlyMap<string, readonly SummaryItem[]>,
  count: number,
): ReadonlySet<SummaryItem> {
  const ranked = [...groups.values()]
    .flat()
    .toSorted((one, other) => (other.chance ?? 0) - (one.chance ?? 0));
  return new Set(ranked.slice(0, Math.max(0, count)));
}

/** A key of a search: what it looks for. */
const SEARCH_KEY = /^(?:pattern|query|regex|search|find|q)$/i;

/** The names in commands and searches, each with the position of the last of them. */
function namesLookedFor(calls: readonly ReadCall[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const { args, index } of calls) {
    const command = commandOf(args);
    const searches = argumentTexts(args).filter(({ key }) => SEARCH_KEY.test(key));
    const texts = searches.map(({ value }) => value);
    if (command !== undefined) texts.push(withoutHeredocs(command));
    for (const text of texts) scanWords(text, (word) => found.set(word.text, index));
  }
  return found;
}

function isName(text: string): boolean {
  return /[a-z][A-Z]|\p{L}_|_\p{L}/u.test(text) && !/[\s.]/.test(text);
}

/** The file that an entry is about: the one that its call names. */
function filesByIndex(calls: readonly ReadCall[]): ReadonlyMap<number, string> {
  const files = new Map<number, string>();
  for (const call of calls) {
    if (commandOf(call.args) !== undefined) continue;
    const path = fileUses(call)[0]?.path;
    if (path === undefined) continue;
    const name = path.slice(path.lastIndexOf("/") + 1);
    files.set(call.index, name);
    if (call.resultIndex !== undefined) files.set(call.resultIndex, name);
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
