import cliTruncate from "cli-truncate";
import picocolors from "picocolors";
import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";

import type { CliContext } from "./cli-context.ts";

/** A column of a table of items. */
export interface Column<Item> {
  readonly head: string;
  readonly cell: (item: Item) => string | number;
  /** Right-aligned if true. */
  readonly isNumber: boolean;
  /** Where its texts are clipped if the table is too wide. At most one column of a table. Default: not clipped. */
  readonly clip?: "start" | "end" | undefined;
}

/** Creates a text column. */
export function texts<Item>(
  head: string,
  cell: Column<Item>["cell"],
  clip?: Column<Item>["clip"],
): Column<Item> {
  return { head, cell, isNumber: false, clip };
}

/** Creates a number column. */
export function numbers<Item>(head: string, cell: Column<Item>["cell"]): Column<Item> {
  return { head, cell, isNumber: true };
}

/** Shortens a session id to the part that a person types; the name of a file stays whole. */
export function shortId(sessionId: string): string {
  return /^[\da-f]{8}(?=-)/.exec(sessionId)?.[0] ?? sessionId;
}

type Screen = Pick<CliContext, "columns" | "hasColor">;

/** Paints a text if the terminal has colors. */
export function paint(
  { hasColor }: Pick<CliContext, "hasColor">,
  text: string,
  how: "bold" | "dim" | "yellow",
): string {
  return picocolors.createColors(hasColor)[how](text);
}

const GAP = 2;
const SHORTEST = 20;
const UNSAFE = /[\p{Cc}\u200E\u200F\u202A-\u202E\u2066-\u2069]+/gu;

/** Removes escape sequences and line breaks of session text before the terminal interprets them. */
function safe(text: string): string {
  return text.replaceAll(UNSAFE, " ");
}

/** Draws a table within the terminal's width. `headingOf` returns the heading of an item's group, printed where it changes. */
export function drawTable<Item>(
  screen: Screen,
  columns: readonly Column<Item>[],
  items: readonly Item[],
  headingOf?: (item: Item) => string,
): string {
  const head = columns.map((column) => column.head);
  const rows = items.map((item) => columns.map(({ cell }) => safe(`${cell(item)}`)));
  const widths = columns.map((_, at) =>
    [head, ...rows].reduce((most, row) => Math.max(most, stringWidth(row[at] ?? "")), 0),
  );
  const over = widths.reduce((sum, width) => sum + GAP + width, -GAP) - screen.columns;
  const lineOf = (row: readonly string[]): string => {
    const cells = columns.map(({ isNumber, clip }, at) => {
      const natural = widths[at] ?? 0;
      const isClipped = clip !== undefined && over > 0 && natural > SHORTEST;
      const width = isClipped ? Math.max(SHORTEST, natural - over) : natural;
      const text = cliTruncate(row[at] ?? "", width, { position: clip ?? "end" });
      const room = " ".repeat(width - stringWidth(text));
      return isNumber ? room + text : text + room;
    });
    return cells.join(" ".repeat(GAP)).trimEnd();
  };
  const headings = items.map((item) => headingOf && safe(headingOf(item)));
  const lines = rows.flatMap((row, at) => {
    const heading = headings[at];
    if (heading === undefined || heading === headings[at - 1]) return [lineOf(row)];
    const clipped = cliTruncate(heading, screen.columns, { position: "start" });
    return [paint(screen, clipped, "bold"), lineOf(row)];
  });
  return `${[paint(screen, lineOf(head), "dim"), ...lines].join("\n")}\n`;
}

/** Wraps sentences to the width of the terminal. */
export function wrapProse(
  { columns }: Pick<CliContext, "columns">,
  sentences: readonly string[],
): string {
  return `${sentences.map((sentence) => wrapAnsi(safe(sentence), columns)).join("\n")}\n`;
}

/** Draws the last line of a screen: the suggested next step. */
export function adviceText(screen: Screen, sentence: string | undefined): string | undefined {
  return sentence && paint(screen, wrapProse(screen, [sentence]), "yellow");
}
