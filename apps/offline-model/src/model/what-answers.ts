import { fileKind } from "../documents/file-kind.ts";
import { pathParts } from "../documents/path-parts.ts";
import { keepsLimits } from "../language/limiting-words.ts";
import { excludes, isNegated } from "../language/negation.ts";
import { neighbors, terms } from "../language/terms.ts";
import { alternativesOf } from "../language/thesaurus.ts";
import { isWeak } from "../language/weak-words.ts";
import type { WordCounts } from "../search/word-counts.ts";
import type { Evidence } from "./evidence.ts";
import { hasForm } from "./has-form.ts";
import { isRow, statementsOf } from "./statements.ts";
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
 * Keeps of some evidence what can answer a question, as far as words tell: one sentence says at least half of what the question is about, of the
 * form that it asks for; the rest stands above it (of a long question, around it), mostly in the same words, and not much less so than in the best.
 * The rarer a word is in the documents, the more it counts; what is asked with a "not" is not answered without one. What answers in altogether
 * other words is left out with the rest: a wrong answer costs more than none.
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

function coveredShare(evidence: Evidence, topic: Topic, counted: WordCounts | undefined): number {
  const { path, title, quote } = evidence;
  const { folder, name } = pathParts(path);
  const above = new Set(terms(`${folder} ${name} ${title}`));
  const headings = [name, ...title.split(" › ")].map((each) => new Set(terms(each)));
  const asked: Asked = { topic, counted, above, headings, strong: strongTerms(topic) };
  // Where nothing was counted, nothing was searched: what is there was an answer before.
  if (counted === undefined) return shareOf(quote.join(" "), asked);
  const isCode = fileKind(path) === "code";
  const stated = statementsOf(quote, { title, isCode });
  if (topic.form === "topic") {
    // What a named file says stands in it.
    const isElsewhere = topic.paths.length > 0 && !topic.paths.includes(path);
    return isElsewhere || stated.length === 0 ? 0 : shareOf(quote.join(" "), asked);
  }
  const ofFile = topic.paths.includes(path) ? new Set(terms(`${folder} ${name}`)) : NONE;
  const strong = asked.strong.filter((term) => !ofFile.has(term));
  // Code speaks of what it names.
  const names = new Set(terms(`${name} ${title}`));
  if (isCode && (title === "" || !asked.strong.some((term) => names.has(term)))) return 0;
  const statements = stated.filter(
    (each) =>
      ((topic.form === "definition" && each.heading !== undefined) ||
        hasHalf(new Set(terms(each.text)), strong)) &&
      hasWeakWords(each.text, asked) &&
      keepsLimits(topic.words, `${title} ${each.text}`) &&
      isUnconditional(each.text, asked) &&
      hasForm(each, { form: topic.form, question: topic.words, strong }),
  );
  const whole = asked.strong.length > FEW ? quote.join(" ") : "";
  return Math.max(0, ...statements.map(({ text }) => shareOf(text, asked, whole)));
}

const NONE: ReadonlySet<string> = new Set();

/** What is asked, and what stands above a quote. */
interface Asked {
  readonly topic: Topic;
  readonly counted: WordCounts | undefined;
  readonly above: ReadonlySet<string>;
  readonly headings: readonly ReadonlySet<string>[];
  /** The words that say what is asked. */
  readonly strong: readonly string[];
}

/** The words that say what is asked; where there are none, those that it is asked with. */
function strongTerms({ terms: all }: Topic): readonly string[] {
  const telling = [...all].filter((term) => !isWeak(term));
  return telling.length > 0 ? telling : [...all];
}

/** Where few words tell what is asked, half of those that it is asked with stand there too, unless these ask for a reason or the like. */
function hasWeakWords(text: string, { topic, strong }: Asked): boolean {
  if (topic.form !== "fact" || strong.length >= FEW) return true;
  const weak = [...topic.terms].filter((term) => !strong.includes(term));
  const words = new Set(terms(text));
  return hasHalf(words, weak);
}

const CONDITION =
  /^\W*(?:when(?:ever)?|if|while|once|unless|until|after|before|for|in|with|as|where|during)\b[^,]*,/i;
const ASKS_CONDITION =
  /\b(?:when(?:ever)?|if|while|once|unless|until|after|before|for|in|with|as|where|during|happens)\b/i;

/** What is said of one case only says little where few words ask for a fact, and for no such case. */
function isUnconditional(text: string, { topic, strong }: Asked): boolean {
  const isPlain = topic.form === "fact" || topic.form === "default";
  if (!isPlain || strong.length > FEW || ASKS_CONDITION.test(topic.words)) return true;
  return !CONDITION.test(text);
}

/** What stands above says what a sentence is about; the sentence itself says half of what is asked, or more. */
function hasHalf(words: ReadonlySet<string>, strong: readonly string[]): boolean {
  return strong.filter((term) => words.has(term)).length >= strong.length / 2;
}

/** Which share of what is asked stands in a text or above it; `around` may have of many words what the text lacks. */
function shareOf(text: string, asked: Asked, around = ""): number {
  const { topic, counted, above, strong } = asked;
  if (topic.asksForNegation && !isNegated(text)) return 0;
  const inQuote = terms(text);
  const words = new Set([...above, ...inQuote, ...terms(around)]);
  const isSearched = counted !== undefined;
  const covers = strong.map((term) => nearness(term, words, topic.terms));
  if (covers.includes(0)) return 0;
  if (isSearched && strong.length <= FEW && !standTogether(strong, inQuote, asked)) return 0;
  if (!topic.asksForNegation && excludes(text, strong)) return 0;
  // A row has the words of many questions; what its table is about stands above it.
  const ofTable = strong.filter((term) => above.has(term)).length;
  if (text.split("\n").every(isRow) && ofTable <= strong.length / 2) return 0;
  let all = 0;
  let covered = 0;
  for (const [index, term] of strong.entries()) {
    all += rarity(term, counted);
    covered += rarity(term, counted) * (covers[index] ?? 0);
  }
  return all === 0 ? 1 : covered / all;
}

/**
 * Returns whether few words meet by more than accident: two side by side and three close together in a sentence, one of which may stand above it,
 * or, where more than a fact is asked for, all in one heading.
 */
function standTogether(
  strong: readonly string[],
  inQuote: readonly string[],
  asked: Asked,
): boolean {
  const mayHeadingSayAll = asked.topic.form !== "fact";
  if (
    mayHeadingSayAll &&
    asked.headings.some((heading) => strong.every((term) => heading.has(term)))
  )
    return true;
  if (strong.length === 1) return neighbors(inQuote).some((pair) => asked.topic.pairs.has(pair));
  const least = Math.max(2, strong.length - 1);
  // What stands between two words makes another thing of them: "disable the first header" is no way to disable a header.
  const span = strong.length === 2 ? 2 : strong.length * 2;
  return inQuote.some((_, start) => {
    const near = new Set(inQuote.slice(start, start + span));
    return strong.filter((term) => near.has(term)).length >= least;
  });
}

/** Returns the words of a question, as it writes them, that occur in no document, not as synonyms either. */
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

/** Another word stands for a term unless it is asked for itself. */
function nearness(term: string, words: ReadonlySet<string>, asked: ReadonlySet<string>): number {
  if (words.has(term)) return 1;
  const others = [...alternativesOf(term)].filter((other) => !asked.has(other));
  return others.some((other) => words.has(other)) ? OTHER_WORD : 0;
}
