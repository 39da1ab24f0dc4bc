import { findCode } from "./find-code.ts";
import type { Token } from "./find-pairs.ts";
import { findTokens } from "./find-tokens.ts";
import { replaceSpans } from "./replace-spans.ts";

/** Finds the tags of one name that are not quoted as code. Linear. */
export function findTags(text: string, tag: string): readonly Token[] {
  const prose = withoutCode(text);
  const starts = findTokens(prose, `<${tag}`, `</${tag}>`);
  // Of the tags before: no character is looked at for two of them.
  let last = -1;
  return starts.flatMap((token, index) => {
    if (!token.opens) return token;
    const { start, end } = token;
    if (last < end) last = indexOrEnd(prose, ">", end);
    // A tag ends before the next one begins.
    if (last >= (starts[index + 1]?.start ?? prose.length)) return [];
    if (!NAME_ENDS.test(prose.charAt(end))) return [];
    const whole = { start, end: last + 1, opens: true };
    return prose.charAt(last - 1) === "/" ? [whole, { ...whole, opens: false }] : whole;
  });
}

const NAME_ENDS = /[\s/>]/;

function indexOrEnd(text: string, part: string, from: number): number {
  const index = text.indexOf(part, from);
  return index === -1 ? text.length : index;
}

/** Blanks what stands in code blocks, fenced or indented, and between two backticks of one line; all else keeps its place. */
function withoutCode(text: string): string {
  if (!CODE_MARKS.some((mark) => text.includes(mark))) return text;
  const prose = replaceSpans(text, findCode(text), " ");
  return prose.replace(/`[^`\n]*`/g, (code) => " ".repeat(code.length));
}

/** Every fence, indented line and piece of code within a line has one of them. */
const CODE_MARKS = ["`", "~~~", "\t", "    "];
