import { pathParts } from "../documents/path-parts.ts";
import { isNegated } from "../language/negation.ts";
import { neighbours, terms } from "../language/terms.ts";
import { alternativesOf } from "../language/thesaurus.ts";
import { isWeak } from "../language/weak-words.ts";
import type { WordCounts } from "../search/word-counts.ts";
import type { Evidence } from "./evidence.ts";
import type { Topic } from "./topic.ts";

/** Which share of what a question is about must stand in a quote and above it. */
const MIN_COVERED = 0.85;
/** How much less of it than in the best quote may stand in another. */
const MAX_BELOW_BEST = 0.1;
/** How far a word of nearly the same meaning covers a word. */
const OTHER_WORD = 0.5;
/** So few words that say what a question is about are few. */
const FEW = 3;

/**
 * Keeps of some evidence what can answer a question, as far as words tell: all that the question is about stands in the quote, in the headings
 * above it or in the name of its file, mostly in the same words, and not much less so than in the best. The rarer a word is in the documents, the
 * more it counts; what is asked with a "not" is not answered without one. What answers in altogether other words is left out with the
 * rest: a wrong answer costs more than none.
 */
export function whatAnswers(
  evidence: readonly Evidence[],
  topic: Topic,
  counted?: WordCounts,
): readonly Evidence[] {
  const shares = evidence.map((each) => coveredShare(each, topic, counted));
  const least = Math.max(MIN_COVERED, Math.max(...shares) - MAX_BELOW_BEST);
  return evidence.filter((_, index) => (shares[index] ?? 0) >= least);
}

function coveredShare(
  { path, title, quote }: Evidence,
  topic: Topic,
  counted: WordCounts | undefined,
): number {
  if (topic.asksForNegation && !isNegated(quote.join(" "))) return 0;
  const { folder, name } = pathParts(path);
  const above = new Set(terms(`${folder} ${name} ${title}`));
  const inQuote = terms(quote.join(" "));
  const words = new Set([...above, ...inQuote]);
  const telling = [...topic.terms].filter((term) => !isWeak(term));
  const strong = telling.length > 0 ? telling : [...topic.terms];
  if (strong.some((term) => nearness(term, words) === 0)) return 0;
  // A row has the words of many questions; what its table is about stands above it.
  const ofTable = strong.filter((term) => nearness(term, above) > 0).length;
  if (quote.every(isRow) && ofTable <= strong.length / 2) return 0;
  // Where nothing was counted, nothing was searched: what is there was an answer before.
  const isSearched = counted !== undefined;
  if (isSearched && strong.length <= FEW && !isAbout(strong, { above, inQuote }, topic, counted))
    return 0;
  let all = 0;
  let covered = 0;
  for (const term of strong) {
    all += rarity(term, counted);
    covered += rarity(term, counted) * nearness(term, words);
  }
  return all === 0 ? 1 : covered / all;
}

function isRow(line: string): boolean {
  return line === "" || line.includes("|");
}

/**
 * Tells whether few words meet in a quote by more than accident: the rarest of them stand above it, or each stands above it or side by side with
 * another as in the question. Other words in a heading are about another thing.
 */
function isAbout(
  strong: readonly string[],
  { above, inQuote }: { readonly above: ReadonlySet<string>; readonly inQuote: readonly string[] },
  { pairs }: Topic,
  counted: WordCounts | undefined,
): boolean {
  const rarities = strong.map((term) => rarity(term, counted)).toSorted((a, b) => b - a);
  const least = rarities[strong.length < FEW ? 0 : 1] ?? 0;
  const telling = strong.filter((term) => rarity(term, counted) >= least);
  if (telling.length === 0 || telling.some((term) => above.has(term))) return true;
  const paired = new Set(
    neighbours(inQuote)
      .map((pair) => pair.split(" "))
      .filter((pair) => pairs.has(pair.join(" ")) || pairs.has(pair.toReversed().join(" ")))
      .flat(),
  );
  return strong.every((term) => paired.has(term) || above.has(term));
}

/** Gives the words of a question, as it writes them, that stand nowhere in the documents, in other words neither. */
export function missingWords(
  question: string,
  topic: Topic,
  counted?: WordCounts,
): readonly string[] {
  const missing = [...topic.terms].filter((term) => {
    const count = counted?.counts.get(term);
    return count !== undefined && count.own === 0 && count.others === 0 && !isWeak(term);
  });
  const words = question.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return [
    ...new Set(missing.map((term) => words.find((word) => terms(word).includes(term)) ?? term)),
  ];
}

function rarity(term: string, counted: WordCounts | undefined): number {
  const count = counted?.counts.get(term);
  if (counted === undefined || count === undefined) return 1;
  return Math.log(1 + counted.passages / Math.max(1, count.own, count.others * OTHER_WORD));
}

function nearness(term: string, words: ReadonlySet<string>): number {
  if (words.has(term)) return 1;
  return [...alternativesOf(term)].some((other) => words.has(other)) ? OTHER_WORD : 0;
}
