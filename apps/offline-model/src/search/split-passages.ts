import type { Document } from "../documents/document.ts";
import { fileKind } from "../documents/file-kind.ts";
import { enclosedLines } from "../language/enclosed-lines.ts";
import { definedName } from "./defined-name.ts";
import type { Passage } from "./passage.ts";

const MAX_LINES = 32;
const FENCE = /^\s*(?:```|~~~)/;
const INTRODUCTION = /[^:]:\s*$/;
const HEADING = /^(#{1,6})\s+(\S.*?)\s*#*$/;
/** What a line is, its beginning tells; a megabyte in one line is not searched for it. */
const MAX_HEAD_LENGTH = 300;
const COMMENT = /^\s*(?:\/\*|\*|\/\/|#(?!!)|--|;|"""|''')/;

/**
 * Splits a document into passages: runs of lines between blank lines, fences and comments whole, a heading with what follows it,
 * a comment with what it describes; none longer than 32 lines. Every line that is not blank is in exactly one. Linear.
 */
export function splitPassages(document: Document): readonly Passage[] {
  const isProse = fileKind(document.path) === "prose";
  const { lines } = document;
  const enclosed = enclosedLines(lines, { isProse });
  const headings = isProse ? findHeadings(lines, enclosed) : new Map<number, Heading>();
  const describe = isProse ? proseDescriber(headings) : describeCode;
  return splitBlocks(lines, headings, enclosed, { isProse }).map(({ start, end }) => ({
    document,
    startLine: start + 1,
    endLine: end,
    ...describe(lines.slice(start, end), start),
  }));
}

interface Heading {
  readonly depth: number;
  readonly text: string;
}

/** Lines of one passage: indexes from 0, the end not included. */
interface Block {
  readonly start: number;
  readonly end: number;
}

/** Headings by index of line; a `#` within a fence is none. */
function findHeadings(
  lines: readonly string[],
  enclosed: readonly boolean[],
): ReadonlyMap<number, Heading> {
  const headings = new Map<number, Heading>();
  for (const [index, line] of lines.entries()) {
    const [, marks, text] = HEADING.exec(line.slice(0, MAX_HEAD_LENGTH)) ?? [];
    if (marks === undefined || text === undefined || enclosed[index] === true) continue;
    headings.set(index, { depth: marks.length, text });
  }
  return headings;
}

function splitBlocks(
  lines: readonly string[],
  headings: ReadonlyMap<number, Heading>,
  enclosed: readonly boolean[],
  options: { readonly isProse: boolean },
): readonly Block[] {
  const blocks: Block[] = [];
  let start: number | undefined;
  let end = 0;
  const close = (): void => {
    if (start !== undefined) blocks.push({ start, end });
    start = undefined;
  };
  for (const [index, line] of lines.entries()) {
    const isHeadingAlone = start !== undefined && end - start === 1 && headings.has(start);
    if (line.trim() === "") {
      // What ends with a colon goes on below.
      const isOpen = isHeadingAlone || (options.isProse && INTRODUCTION.test(lines[end - 1] ?? ""));
      if (!isOpen && enclosed[index] !== true) close();
      continue;
    }
    if (headings.has(index) || (start !== undefined && index - start >= MAX_LINES)) close();
    start ??= index;
    end = index + 1;
  }
  close();
  return blocks;
}

type Description = Pick<Passage, "kind" | "title">;

/** Walks down a document and knows under which headings it stands. */
function proseDescriber(
  headings: ReadonlyMap<number, Heading>,
): (lines: readonly string[], start: number) => Description {
  const above: Heading[] = [];
  return (lines, start) => {
    const heading = headings.get(start);
    if (heading !== undefined) {
      while ((above.at(-1)?.depth ?? 0) >= heading.depth) above.pop();
      above.push(heading);
    }
    const title = above.map(({ text }) => text).join(" › ");
    const kind = FENCE.test(lines[0] ?? "") ? "example" : "prose";
    return title === "" ? { kind } : { kind, title };
  };
}

function describeCode(lines: readonly string[]): Description {
  const isExplained = COMMENT.test(lines[0] ?? "") || lines.slice(1, 4).some(isDocumentation);
  for (const line of lines.map((each) => each.slice(0, MAX_HEAD_LENGTH))) {
    const name = COMMENT.test(line) ? undefined : definedName(line);
    if (name !== undefined) return { kind: isExplained ? "explained" : "declared", title: name };
  }
  return { kind: isExplained ? "comment" : "mention" };
}

/** A string that stands below a declaration and explains it, as in Python. */
function isDocumentation(line: string): boolean {
  return /^\s*[rRuU]?(?:"""|''')/.test(line);
}
