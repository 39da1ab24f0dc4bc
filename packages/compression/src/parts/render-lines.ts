import { SUMMARY_PARTS } from "./summary-line.ts";
import type { ChosenLine, SummaryItem, SummaryLine } from "./summary-line.ts";

/** Writes lines by their parts, and those of one part in the order of the history. A line without items is none. */
export function renderLines(lines: readonly ChosenLine[]): string {
  const written = lines.filter(({ items }) => items.length > 0);
  const inOrder = written.toSorted((one, other) => rankOf(one) - rankOf(other));
  return inOrder.map(renderLine).join("\n");
}

function rankOf({ line, items }: ChosenLine): number {
  const part = SUMMARY_PARTS.indexOf(line.part);
  return part + (1 - 1 / (2 + Math.max(0, items[0]?.index ?? 0)));
}

function renderLine({ line, items }: ChosenLine): string {
  const chosen = new Set(items);
  const inOrder = line.items.filter((item) => chosen.has(item));
  const isCut = line.isSequence === true && inOrder.length < line.items.length;
  return `${line.head}${joined(inOrder, line)}${isCut ? CUT : line.end}`;
}

function joined(items: readonly SummaryItem[], { joint }: SummaryLine): string {
  return items.map(({ text }) => text).join(joint);
}

/** Says that more stood there. */
const CUT = " […]";
