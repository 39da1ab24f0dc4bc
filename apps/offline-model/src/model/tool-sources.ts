import type { NumberedLine } from "../language/split-sentences.ts";
import { readSourceUri } from "../tools/source-uri.ts";
import type { SourceRange } from "../tools/source-uri.ts";

/** A source as a tool result shows it. */
export interface ShownSource extends SourceRange {
  readonly number: number;
  readonly title: string;
  readonly lines: readonly NumberedLine[];
}

const HEAD = /^\[source(\d+)\] (?:(.*) )?\((\S+)\)$/;
/** Without the note that a long line was cut. */
const LINE = /^(\d+)\| ?(.*?)(?: …\[\d+ more characters\])?$/;

/** The tools that quote earlier results: each line of these stands behind a mark. */
const LOOKS_BACK = /^history_/;

/** Reads the sources out of a tool result. A line of a document carries its number and is never taken for a head. */
export function readToolSources(content: string, toolName = ""): readonly ShownSource[] {
  const found: { head: Omit<ShownSource, "lines">; lines: NumberedLine[] }[] = [];
  const mark = LOOKS_BACK.test(toolName) ? /^> /u : /^/u;
  for (const marked of content.split("\n")) {
    const text = marked.replace(mark, "");
    const [, number, title = "", uri = ""] = HEAD.exec(text) ?? [];
    const range = readSourceUri(uri);
    if (range !== undefined) {
      found.push({ head: { number: Number(number), title, ...range }, lines: [] });
      continue;
    }
    const [, lineNumber, line = ""] = LINE.exec(text) ?? [];
    if (lineNumber !== undefined)
      found.at(-1)?.lines.push({ number: Number(lineNumber), text: line });
  }
  return found.map(({ head, lines }) => ({ ...head, lines }));
}
