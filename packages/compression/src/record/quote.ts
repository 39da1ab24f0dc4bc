import { cleanText, oneLine } from "./text.ts";

/** Who speaks, as a line of a summary or of a chat begins. What is quoted must not look as if somebody else spoke. */
const SPEAKERS =
  "User|Agent|Task|Tool|System|Assistant|Human|Developer|Commands? run|Files changed";
const LABEL = new RegExp(String.raw`(?<![\p{L}\p{N}_])((?:${SPEAKERS})\s{0,3})[:：﹕]`, "gu");
const FIRST_LABEL = new RegExp(
  String.raw`^([^\p{L}\p{N}]{0,8}(?:${SPEAKERS})\s{0,3})[:：﹕]`,
  "gimu",
);

/** Quotes a text as data on one line: no line of its own, no label of a speaker, no heading (L14). */
export function quoteLine(text: string): string {
  return withoutLabels(oneLine(cleanText(text)).replace(/^#{1,6} /, ""));
}

/** Quotes a text as data with its lines, each further in than any line of a summary. */
export function quoteLines(text: string): string {
  const lines = cleanText(text)
    .split("\n")
    .map((line) => withoutLabels(line.trimEnd().replace(/^\s*#{1,6}\s+/, "")));
  return lines
    .filter((line, index) => line !== "" || lines[index - 1] !== "")
    .map((line, index) => (index === 0 ? line.trimStart() : `  ${line}`))
    .join("\n");
}

function withoutLabels(text: string): string {
  return text.replace(FIRST_LABEL, "$1&#58;").replace(LABEL, "$1&#58;");
}
