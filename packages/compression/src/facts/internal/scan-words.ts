import type { FactKind } from "../fact.ts";
import { classifyWord } from "./classify-word.ts";

/** A word that is a fact, where it stands, and what it is to the JSON around it. */
export interface FactWord {
  readonly kind: FactKind;
  readonly text: string;
  /** Where it begins, in UTF-16 units. */
  readonly start: number;
  /** It names a value: `"price": 105`. */
  readonly isKey: boolean;
  /** The key before it in JSON, where there is one. */
  readonly label?: string;
}

const UNITS =
  "ms|s|sec|seconds?|minutes?|min|hours?|h|days?|weeks?|months?|years?|[kKMGTP]i?[Bb]|bytes?|tokens?|chars?|rows?|lines?|px|[mck]?m|kg|mg|g|lbs?|[kMG]?Hz|[kM]?W|USD|EUR|GBP|JPY|円|°[CF]|%";
const MONTHS =
  "(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:t(?:ember)?)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)";
/** Scripts that write no spaces: a Latin word ends where one of these begins. */
const UNSPACED =
  "\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}";

/**
 * One pass over a text. No alternative can be entered twice at one place and go back further than a few characters: what
 * is not bounded takes single characters, and is never followed by anything.
 */
const WORDS = new RegExp(
  [
    String.raw`(?<url>(?:https?|wss?|ftp|ssh|git|s3|gs|file|redis|rediss|postgres|mongodb):\/\/[^\s"'\u0060<>()[\]{}\\|]+)`,
    String.raw`(?<folder>(?<![\p{L}\p{N}_])[A-Za-z]:(?:\\[\p{L}\p{N}_.$~%+-]+)+)`,
    String.raw`(?<date>(?<![\p{L}\p{N}_])(?:${MONTHS}\.? \d{1,2}(?:st|nd|rd|th)?(?:,? \d{4})?|\d{1,2}(?:st|nd|rd|th)? ${MONTHS}\.?(?:,? \d{4})?)(?![\p{L}\p{N}_])|\d{4}年\d{1,2}月(?:\d{1,2}日)?|\d{1,2}月\d{1,2}日)`,
    String.raw`(?<number>(?<![\p{L}\p{N}_])[$€£¥]?(?:\d{1,3}(?:,\d{3}){1,5}|\d{1,15})(?:\.\d{1,9})?(?: ?(?:${UNITS})(?![\p{L}\p{N}_])|(?<=,\d{3}(?:\.\d{1,9})?)(?![\p{L}\p{N}_]|[.,]\d)))`,
    String.raw`(?<run>(?:(?![${UNSPACED}])[\p{L}\p{N}\p{M}_./@~:$€£¥+%-])+)`,
  ].join("|"),
  "gu",
);

/** Longer words are no facts: encoded bytes, hostile runs. */
const LONGEST_WORD = 200;
const LONGEST_URL = 500;
const LONGEST_LABEL = 40;

/**
 * Returns every fact of one word in a text to `visit`, and those that stand within another (the file in a path) after it.
 * Linear: each character is read a bounded number of times.
 */
export function scanWords(text: string, visit: (word: FactWord) => void): void {
  const plain = withoutEscapes(text);
  let label: string | undefined;
  const say = (kind: FactKind, fact: string, start: number, isKey = false): void =>
    visit({ kind, text: fact, start, isKey, ...(label !== undefined && !isKey && { label }) });
  for (const match of plain.matchAll(WORDS)) {
    const [whole] = match;
    const { url, folder, date, number } = match.groups ?? {};
    const start = match.index;
    if (url !== undefined) sayLong("url", url, start, say);
    else if (folder !== undefined) sayLong("path", folder, start, say);
    else if (date !== undefined) say("date", date, start);
    else if (number !== undefined) sayNumber(number, start, say);
    else {
      const isKey = isKeyAt(plain, start + whole.length);
      if (isKey && whole.length <= LONGEST_LABEL) label = whole;
      sayRun(whole, start, isKey, say);
    }
  }
}

type Say = (kind: FactKind, fact: string, start: number, isKey?: boolean) => void;

function sayLong(kind: FactKind, address: string, start: number, say: Say): void {
  let end = Math.min(address.length, LONGEST_URL + 1);
  while (end > 0 && ".,;:!?*".includes(address.charAt(end - 1))) end--;
  if (end <= LONGEST_URL) say(kind, address.slice(0, end), start);
}

/** A number with its unit, and the number alone. */
function sayNumber(number: string, start: number, say: Say): void {
  say("number", number, start);
  const bare = /^[$€£¥]?[\d.,]*\d/.exec(number)?.[0] ?? number;
  if (bare.length < number.length && /\d.*\d/.test(bare)) say("number", bare, start);
}

function sayRun(run: string, start: number, isKey: boolean, say: Say): void {
  if (run.length > LONGEST_WORD || !/[\d_/.@A-Z]/.test(run)) return;
  for (const { kind, text, offset } of classifyWord(run)) {
    say(kind, text, start + offset, isKey && text === run);
  }
}

/** Whether what ends here is a key: a quote follows, and a colon. */
function isKeyAt(plain: string, end: number): boolean {
  const quote = plain.charAt(end);
  return (quote === '"' || quote === "'") && /^\s{0,2}:/.test(plain.slice(end + 1, end + 4));
}

/** JSON text within a text has its line breaks and quotes escaped; as spaces they end a word, and places stay the same. */
function withoutEscapes(text: string): string {
  if (!text.includes("\\") || !/^\s*[[{"]/.test(text)) return text;
  return text.replace(/\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt])/g, (escape) => " ".repeat(escape.length));
}
