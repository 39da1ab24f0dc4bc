/** A sentence or a line of a text. */
export interface Sentence {
  /** One line, without the mark of a list before it. */
  readonly text: string;
  /** Where it begins, in UTF-16 units. */
  readonly start: number;
  /** It begins and ends as a sentence does, and has some words: no heading, no line of a listing. */
  readonly isFull: boolean;
}

/** What ends a line: breaks of every kind, and characters that a reader does not see but a terminal or a page obeys. */
const LINES = /[^\p{Cc}\p{Zl}\p{Zp}\u200E\u200F\u202A-\u202E\u2066-\u2069]+/gu;

/** Longer sentences are quoted by nobody; they are no candidates, and cost nothing more. */
export const LONGEST_SENTENCE = 400;

/**
 * Splits a text into its lines, and its lines into sentences. Linear.
 *
 * @param only - Lines that do not match are left out.
 */
export function splitSentences(text: string, only?: RegExp): readonly Sentence[] {
  const sentences: Sentence[] = [];
  for (const { 0: line, index } of text.matchAll(LINES)) {
    if (only !== undefined && !only.test(line)) continue;
    let from = 0;
    for (let at = 0; at < line.length; at++) {
      if (!isEnd(line, at)) continue;
      push(sentences, line.slice(from, at + 1), index + from);
      from = at + 1;
    }
    push(sentences, line.slice(from), index + from);
  }
  return sentences;
}

const CLOSERS = "\"')]}*_`”’」』）】";

/** Whether the sentence ends with the character at `at`. Looks at its neighbors only. */
function isEnd(line: string, at: number): boolean {
  const character = line.charAt(at);
  const next = line.charAt(at + 1);
  if ("。！？".includes(character)) return !"。！？」』）】".includes(next);
  if (CLOSERS.includes(character))
    return ".!?。！？".includes(line.charAt(at - 1)) && at > 0 && startsNext(line, at + 1);
  if (!".!?".includes(character)) return false;
  return startsNext(line, at + 1) && !isAbbreviation(line, at);
}

/** A space and then no small letter: `e.g. this` goes on. */
function startsNext(line: string, at: number): boolean {
  if (line.charAt(at) !== " ") return at >= line.length;
  const after = line.charAt(at + 1);
  return after === "" || after === " " || !/\p{Ll}/u.test(after);
}

/** An initial or a title before the dot, or the number of a list's item. */
function isAbbreviation(line: string, at: number): boolean {
  if (line.charAt(at) !== "." || at + 1 >= line.length) return false;
  if (at < 4 && /^\s*\d+$/.test(line.slice(0, at))) return true;
  return /(?:^|[^\p{L}\p{N}])(?:\p{L}|Mr|Ms|Mrs|Dr|St|No|vs|cf)$/u.test(
    line.slice(Math.max(0, at - 4), at),
  );
}

function push(sentences: Sentence[], raw: string, start: number): void {
  const mark = /^(?:\s{0,8}(?:[-*+•>#]{1,6}|\d{1,3}[.)])(?=\s))*\s*/.exec(raw)?.[0].length ?? 0;
  const text = raw.slice(mark).trimEnd();
  if (text === "") return;
  sentences.push({ text, start: start + mark, isFull: isFull(text) });
}

function isFull(text: string): boolean {
  if (text.length > LONGEST_SENTENCE) return false;
  const tail = text.slice(-4);
  if (/[。！？][」』）】"']?$/.test(tail)) return text.length > 5;
  if (!/[.!?]["')\]*_`”’]{0,3}$/.test(tail)) return false;
  if (!/^["'“‘(*_`\p{Ps}]{0,3}[\p{Lu}\p{Lo}\p{N}]/u.test(text)) return false;
  return countWords(text) >= 3;
}

function countWords(text: string): number {
  return text.match(/\p{L}+/gu)?.length ?? 0;
}
