import { findCode } from "./find-code.ts";
import type { Token } from "./find-pairs.ts";
import { findTokens } from "./find-tokens.ts";
import { replaceSpans } from "./replace-spans.ts";

/** Finds the tags of one name that are not quoted as code. Linear. */
export function findTags(text: string, tag: string): readonly Token[] {
  const prose = withoutCode(text);
  const starts = findTokens(prose, `<${tag}`, `</${tag}>`);
  return starts.flatMap((token, index) => {
    if (!token.opens) return [token];
    // A tag ends before the next one begins: no character is looked at for two of them.
    const rest = prose.slice(token.end, starts[index + 1]?.start);
    const last = rest.indexOf(">");
    if (last === -1 || !/^[\s/>]/.test(rest)) return [];
    const whole = { ...token, end: token.end + last + 1 };
    return rest.charAt(last - 1) === "/" ? [whole, { ...whole, opens: false }] : [whole];
  });
}

/** Blanks what stands in code blocks, fenced or indented, and between two backticks of one line; all else keeps its place. */
function withoutCode(text: string): string {
  const prose = replaceSpans(text, findCode(text), " ");
  return prose.replace(/`[^`\n]*`/g, (code) => " ".repeat(code.length));
}
