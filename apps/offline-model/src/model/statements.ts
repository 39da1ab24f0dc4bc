import { splitSentences } from "../language/split-sentences.ts";
import type { NumberedLine } from "../language/split-sentences.ts";

/** A sentence of a quote, and what the quote continues. */
export interface Statement {
  readonly text: string;
  readonly after: string;
  /** The heading, or the name that code defines, where it is the first that is said of it. */
  readonly heading: string | undefined;
}

const CODE_LINE =
  /[;{}(),]$|=>|^(?:async|await|class|const|declare|def|export|fn|function|import|let|new|return|var)\b|^[\w.$]+(?: = |\()/;
const SENTENCE_END = /[\w`)"'*]\.$/;
/** A line of a list of versions says what was so at that time. */
const VERSION = /^\W*v?\d+(?:\.\d+)*\W*\((?:\w+\.? )?\d{4}/i;
const POINTER = /(?:^|[,;(:]\s*)(?:please )?see\b/i;

/**
 * Returns the sentences of a quote that state something: not the heading, which stands in `title`, no question, no line of code, no words that point
 * elsewhere.
 */
export function statementsOf(
  quote: readonly string[],
  { title, isCode: isOfCode }: { readonly title: string; readonly isCode: boolean },
): readonly Statement[] {
  const heading = title.slice(title.lastIndexOf(" › ") + 1).replace(/^› /, "");
  // No number is 1: a quote has no front matter.
  const lines = quote.flatMap((text): readonly NumberedLine[] => {
    const line = { number: 2, text };
    return isRow(text) ? [EMPTY, line, EMPTY] : [line];
  });
  const sentences = splitSentences(lines, { isProse: true });
  return sentences.flatMap(({ text, pieces }, index) => {
    const isCode = pieces.every((piece) => isCodeLine(piece.text));
    if (isCode || text === heading || !saysSomething(text)) return [];
    const after = sentences.slice(index + 1).map((each) => each.text);
    // What explains code stands above the name that it explains.
    const isUnder = isOfCode ? index === 0 : sentences[index - 1]?.text === heading;
    return [{ text, after: after.join("\n"), heading: isUnder ? heading : undefined }];
  });
}

/** Fewer words are a label, such as "Type: `object`"; but a default may be given in two. */
const MIN_WORDS = 4;

function saysSomething(text: string): boolean {
  if (text.endsWith("?") || POINTER.test(text) || VERSION.test(text)) return false;
  const words = text.match(/\p{L}+/gu) ?? [];
  return words.length >= MIN_WORDS || /\bdefault/i.test(text);
}

const EMPTY: NumberedLine = { number: 2, text: "" };

/** Returns whether a line of a quote is a row of a table. */
export function isRow(line: string): boolean {
  return line.includes(" | ");
}

function isCodeLine(line: string): boolean {
  return CODE_LINE.test(line.trim()) && !SENTENCE_END.test(line.trim());
}
