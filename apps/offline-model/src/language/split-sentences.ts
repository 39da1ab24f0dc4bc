import { enclosedLines } from "./enclosed-lines.ts";

/** A line of a document with its number. */
export interface NumberedLine {
  readonly number: number;
  readonly text: string;
}

/** A sentence, a list item, or a line of code, as it stands in its lines. */
export interface Sentence {
  /** Exact parts of neighboring lines, without the marks of comments and lists. */
  readonly pieces: readonly NumberedLine[];
  /** The pieces joined by spaces. */
  readonly text: string;
  /** A row is of a table; a tag is a line such as `@param name …` in a comment. */
  readonly kind: "prose" | "heading" | "row" | "tag" | "code";
  /** Whether it continues the sentence before, in one paragraph. */
  readonly goesOn: boolean;
}

const FENCE = /^(?:```|~~~)/;
const HEADING = /^#{1,6}\s+/;
const COMMENT_MARK = /^(?:\/\*\*?(?!\/)|\*(?![*/])|\/\/[/!]?|--|;+|#+(?=\s)|"""|''')[ \t]?/;
const COMMENT_END = /\s*(?:\*\/|"""|''')\s*$/;
const ITEM_MARK = /^(?:[-+*]|\d{1,3}[.)]|>|\|)\s+/;
/** The rule below the head of a table, or a component's tag alone on its line. */
const NO_WORDS = /^(?:[\s|:-]*-[\s|:-]*|<\/?[A-Za-z][^<>]*>)$/;
const ROW = /^\|/;
const QUOTATION = /^>\s*/;
const TAG = /^@\w/;
const NEW_PARAGRAPH = /^(?:[-+*]|\d{1,3}[.)]|>|@\w+|\|)(?:\s|$)/;
/** A full stop, question or exclamation mark, or a closing bracket behind one, before a space or the end. */
const SENTENCE_END = /[.!?]["'”’)\]`*_]*(?=\s|$)/g;
const ABBREVIATION = /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|no|fig|\p{L})\.$/iu;

/**
 * Splits lines into sentences that know where they stand. Marks of comments, lists and headings are left out; within prose
 * a sentence runs over line ends, in code each line is one. Linear.
 */
export function splitSentences(
  lines: readonly NumberedLine[],
  options: { readonly isProse: boolean },
): readonly Sentence[] {
  const sentences: Sentence[] = [];
  let paragraph: (NumberedLine & { readonly isRow: boolean })[] = [];
  let isFenced = false;
  let isQuoted = false;
  const close = (): void => {
    sentences.push(...splitParagraph(paragraph));
    paragraph = [];
  };
  const bodyStart = endOfFrontMatter(lines);
  const enclosed = enclosedLines(
    lines.map(({ text }) => text),
    options,
  );
  for (const [index, { number, text }] of lines.entries()) {
    const line = readLine(text, options.isProse, enclosed[index] === true);
    const { isProse, isHeading } = line;
    // A quotation goes on over its lines.
    const goesOn = isQuoted && QUOTATION.test(line.body);
    isQuoted = isProse && QUOTATION.test(line.body);
    const body = goesOn ? line.body.replace(QUOTATION, "") : line.body;
    const isFence = FENCE.test(body);
    if (isFence) isFenced = !isFenced;
    if (isFence || isFenced || !isProse || isHeading || body === "" || NEW_PARAGRAPH.test(body))
      close();
    if (isFence || body === "" || NO_WORDS.test(body) || index < bodyStart) continue;
    const numbered = { number, text: body.replace(ITEM_MARK, "").trim() };
    if (isFenced || !isProse) sentences.push(single(numbered, "code"));
    else if (isHeading) sentences.push(single(numbered, "heading"));
    else paragraph.push({ ...numbered, isRow: ROW.test(body) });
  }
  close();
  return sentences;
}

/** What a document says of itself before it begins is no sentence of it. */
function endOfFrontMatter(lines: readonly NumberedLine[]): number {
  if (lines[0]?.number !== 1 || lines[0].text.trim() !== "---") return 0;
  return lines.findIndex(({ text }, index) => index > 0 && text.trim() === "---") + 1;
}

function readLine(
  text: string,
  isProse: boolean,
  isEnclosed: boolean,
): { readonly body: string; readonly isProse: boolean; readonly isHeading: boolean } {
  const trimmed = text.trim();
  const isComment = !isProse && (isEnclosed || COMMENT_MARK.test(trimmed));
  if (!isProse && !isComment) return { body: trimmed, isProse: false, isHeading: false };
  const body = isComment ? withoutMarks(trimmed) : trimmed;
  return { body: body.replace(HEADING, ""), isProse: true, isHeading: HEADING.test(body) };
}

function withoutMarks(comment: string): string {
  return comment
    .replace(COMMENT_MARK, "")
    .replace(COMMENT_END, "")
    .replace(/^\*\/$/, "")
    .trim();
}

function single(line: NumberedLine, kind: Sentence["kind"]): Sentence {
  return { pieces: [line], text: line.text, kind, goesOn: false };
}

function kindOf(line: (NumberedLine & { readonly isRow: boolean }) | undefined): Sentence["kind"] {
  if (line?.isRow === true) return "row";
  return TAG.test(line?.text ?? "") ? "tag" : "prose";
}

function splitParagraph(
  lines: readonly (NumberedLine & { readonly isRow: boolean })[],
): readonly Sentence[] {
  const sentences: Sentence[] = [];
  const kind = kindOf(lines[0]);
  let pieces: NumberedLine[] = [];
  const close = (): void => {
    const text = pieces.map((piece) => piece.text).join(" ");
    if (text !== "") sentences.push({ pieces, text, kind, goesOn: sentences.length > 0 });
    pieces = [];
  };
  for (const { number, text } of lines) {
    let start = 0;
    for (const { index, 0: mark } of text.matchAll(SENTENCE_END)) {
      const end = index + mark.length;
      if (ABBREVIATION.test(text.slice(Math.max(start, index - 8), index + 1))) continue;
      pieces.push({ number, text: text.slice(start, end).trim() });
      close();
      start = end;
    }
    const rest = text.slice(start).trim();
    if (rest !== "") pieces.push({ number, text: rest });
  }
  close();
  return sentences;
}
