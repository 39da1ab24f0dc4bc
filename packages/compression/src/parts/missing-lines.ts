import { factFinder } from "../gate/internal/fact-finder.ts";
import type { SummaryItem, SummaryLine, SummaryPart } from "./summary-line.ts";

/** What a summary of a model must have: word for word, or by the words that name it. */
const QUOTED: ReadonlySet<SummaryPart> = new Set(["user", "open", "commands"]);
const NAMED: ReadonlySet<SummaryPart> = new Set([
  "changed",
  "read",
  "mentioned",
  "made",
  "failures",
  "records",
  "names",
]);

/**
 * The lines of the parts that a text does not have yet, with what is missing of them. Linear.
 *
 * @param besides - What a model wrote; that an earlier error no longer stands it may have left out on purpose.
 */
export function missingLines(
  lines: readonly SummaryLine[],
  besides: string,
): readonly SummaryLine[] {
  const { has } = factFinder(besides);
  const there = flat(besides);
  const isQuoted = ({ text }: SummaryItem): boolean => there.includes(flat(text));
  const isNamed = ({ says }: SummaryItem): boolean =>
    [...says].every((word) => has({ kind: "identifier", text: word }));
  return lines.flatMap((line): readonly SummaryLine[] => {
    const [first] = line.items;
    if (first === undefined || (line.part === "failures" && first.index < 0)) return [];
    if (QUOTED.has(line.part)) {
      // A message that is told by its beginning is told.
      if (line.isSequence === true) return isQuoted(first) ? [] : [line];
      return withItems(
        line,
        line.items.filter((item) => !isQuoted(item)),
      );
    }
    if (!NAMED.has(line.part)) return [];
    const missing = line.items.filter((item) =>
      item.says.size === 0 ? !isQuoted(item) : !isNamed(item),
    );
    return withItems(line, missing);
  });
}

function withItems(line: SummaryLine, items: readonly SummaryItem[]): readonly SummaryLine[] {
  return items.length === 0 ? [] : [{ ...line, items }];
}

/** A text on one line, without quotes and marks of Markdown. */
export function flat(text: string): string {
  return text.replace(/[\s>"'`*_\\“”‘’]+/g, " ").trim();
}
