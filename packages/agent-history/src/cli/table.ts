import cliTruncate from "cli-truncate";
import picocolors from "picocolors";
import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";

import type { CliContext } from "./cli-context.ts";

/** A column of a table of items. */
export interface Column<Item> {
  readonly head: string;
  readonly cell: (item: Item) => Cell | number;
  /** Right-aligned if true. */
  readonly isNumber: boolean;
  /** Allows clipping if space is short: paths at the start, texts at the end. Default: not clipped. */
  readonly shrinks?: "path" | "text";
  /** Priority for leaving the column out if it still does not fit; the highest goes first. Default: never. */
  readonly leaveOut?: number | undefined;
}

/** Creates a text column. */
export function texts<Item>(
  head: string,
  cell: Column<Item>["cell"],
  room: Pick<Column<Item>, "shrinks" | "leaveOut"> = {},
): Column<Item> {
  return { head, cell, isNumber: false, ...room };
}

/** Creates a number column. */
export function numbers<Item>(
  head: string,
  cell: Column<Item>["cell"],
  leaveOut?: number,
): Column<Item> {
  return { head, cell, isNumber: true, leaveOut };
}

/** Shortens a session id to the part that a person types; the name of a file stays whole. */
export function shortId(sessionId: string): string {
  return /^[\da-f]{8}(?=-)/.exec(sessionId)?.[0] ?? sessionId;
}

/** A cell with a session id. */
export function idCell(sessionId: string): Cell {
  return { text: shortId(sessionId), paint: "cyan" };
}

/** A text, optionally painted if the terminal has colors. */
export type Cell = string | { readonly text: string; readonly paint: Paint };

export type Paint = "bold" | "cyan" | "dim" | "green" | "red" | "yellow";

type Screen = Pick<CliContext, "columns" | "hasColor">;

/** Paints a text if the terminal has colors. */
export function paint(
  { hasColor }: Pick<CliContext, "hasColor">,
  text: string,
  how: Paint,
): string {
  return picocolors.createColors(hasColor)[how](text);
}

/** Draws a table within the terminal's width. `headingOf` returns the heading of an item's group. */
export function drawTable<Item>(
  screen: Screen,
  columns: readonly Column<Item>[],
  items: readonly Item[],
  headingOf?: (item: Item, before: Item | undefined) => string | undefined,
): string {
  const head = columns.map((column): Cell => ({ text: column.head, paint: "dim" }));
  const rows = items.map((item) => columns.map(({ cell }) => cell(item)));
  const natural = columns.map((_, index) =>
    [head, ...rows].reduce((most, row) => Math.max(most, stringWidth(textOf(row[index]))), 0),
  );
  const widths = fitColumns(columns, natural, screen.columns);
  const lineOf = (row: readonly (Cell | number)[]): string => {
    const cells = columns.flatMap(({ isNumber, shrinks = "text" }, index) => {
      const [cell, width] = [row[index], widths[index]];
      if (width === undefined) return [];
      const text = clipText(textOf(cell), width, shrinks);
      const room = " ".repeat(width - stringWidth(text));
      const shown = typeof cell === "object" ? paint(screen, text, cell.paint) : text;
      return [isNumber ? room + shown : shown + room];
    });
    return cells.join(" ".repeat(GAP)).trimEnd();
  };
  const lines = items.flatMap((item, at) => {
    const heading = headingOf?.(item, items[at - 1]);
    const row = lineOf(rows[at] ?? []);
    if (heading === undefined) return [row];
    return [paint(screen, clipText(heading, widthOf(widths), "path"), "bold"), row];
  });
  return `${[lineOf(head), ...lines].join("\n")}\n`;
}

function textOf(cell: Cell | number | undefined): string {
  return typeof cell === "object" ? cell.text : `${cell ?? ""}`;
}

const GAP = 2;
const SHORTEST = 20;

/** Computes column widths that fit with the gaps: the widest texts are clipped first; `undefined` for a column that is left out. */
function fitColumns(
  columns: readonly Pick<Column<never>, "shrinks" | "leaveOut">[],
  natural: readonly number[],
  room: number,
): readonly (number | undefined)[] {
  const left = new Set<number>();
  const widest = natural.reduce((most, width) => Math.max(most, width), SHORTEST);
  for (;;) {
    let widths: readonly (number | undefined)[] = [];
    for (let most = widest; most >= SHORTEST; most -= 1) {
      widths = natural.map((width, index) => {
        if (left.has(index)) return undefined;
        return columns[index]?.shrinks ? Math.min(width, most) : width;
      });
      if (widthOf(widths) <= room) return widths;
    }
    const order = columns.map(({ leaveOut = 0 }, index) => (left.has(index) ? 0 : leaveOut));
    const spare = indexOfGreatest(order);
    if (spare === undefined) return widths;
    left.add(spare);
  }
}

function widthOf(widths: readonly (number | undefined)[]): number {
  const shown = widths.filter((width) => width !== undefined);
  return shown.reduce((sum, width) => sum + width, 0) + GAP * Math.max(0, shown.length - 1);
}

function indexOfGreatest(values: readonly number[]): number | undefined {
  const greatest = values.reduce((most, value) => Math.max(most, value), 0);
  return greatest === 0 ? undefined : values.indexOf(greatest);
}

const UNSAFE = /[\p{Cc}\u200E\u200F\u202A-\u202E\u2066-\u2069]+/gu;

/** Makes a text safe for a terminal and clips it to `width`: a path at the start, a text at the end. */
function clipText(text: string, width: number, kind: "path" | "text"): string {
  // Remove escape sequences and line breaks of session text before the terminal interprets them.
  const plain = text.replaceAll(UNSAFE, " ");
  return cliTruncate(plain, width, { position: kind === "path" ? "start" : "end" });
}

/** Wraps sentences to the width of the terminal. */
export function wrapProse(
  { columns }: Pick<CliContext, "columns">,
  sentences: readonly string[],
): string {
  return `${sentences.map((sentence) => wrapAnsi(sentence, columns)).join("\n")}\n`;
}

/** Wraps a text after a head; continuation lines are indented to the start of the text. */
export function hangingText(
  { columns }: Pick<CliContext, "columns">,
  head: string,
  text: string,
): string {
  const indent = stringWidth(head);
  return `${head}${wrapAnsi(text, columns - indent).replaceAll("\n", `\n${" ".repeat(indent)}`)}\n`;
}

/** Draws the last line of a screen: the suggested next step. */
export function adviceText(screen: Screen, sentence: string | undefined): string | undefined {
  if (sentence === undefined) return undefined;
  return `${paint(screen, wrapProse(screen, [sentence]).trimEnd(), "yellow")}\n`;
}
