import Table from "cli-table3";
import picocolors from "picocolors";
import stringWidth from "string-width";

import type { CliContext } from "./cli-context.ts";
import { clipText } from "./clip-text.ts";
import { fitColumns } from "./fit-columns.ts";

/** A column of a table. */
export interface Column {
  readonly head: string;
  /** Numbers stand at the right. Default: left. */
  readonly isNumber?: boolean;
  /** Takes less room than its texts where there is little; paths lose their beginning, texts their end. Default: neither. */
  readonly shrinks?: "path" | "text";
  /** Left out where there is still no room: the highest first. Default: never. */
  readonly leaveOut?: number;
}

/** Draws a table within the width of the terminal. A row has a cell for each column. */
export function drawTable(
  { columns: width, hasColor }: Pick<CliContext, "columns" | "hasColor">,
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): string {
  const natural = columns.map(({ head }, index) =>
    rows.reduce((most, row) => Math.max(most, stringWidth(row[index] ?? "")), stringWidth(head)),
  );
  const widths = fitColumns(columns, natural, width);
  const shown = columns.flatMap((column, index) => {
    const fitted = widths[index];
    return fitted === undefined ? [] : [{ ...column, index, width: fitted }];
  });
  const table = new Table({
    chars: NO_LINES,
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0, compact: true },
    colWidths: shown.map((column) => column.width),
    colAligns: shown.map(({ isNumber }) => (isNumber ? "right" : "left")),
  });
  const dim = hasColor ? picocolors.dim : (text: string): string => text;
  table.push(shown.map(({ head, width: room }) => dim(clipText(head, room, "text"))));
  for (const row of rows) {
    table.push(
      shown.map(({ index, width: room, shrinks = "text" }) =>
        clipText(row[index] ?? "", room, shrinks),
      ),
    );
  }
  return `${table.toString().replaceAll(/[ \t]+$/gm, "")}\n`;
}

const NO_LINES = Object.fromEntries(
  ["top", "top-mid", "top-left", "top-right", "bottom", "bottom-mid", "bottom-left", "bottom-right"]
    .concat(["left", "left-mid", "mid", "mid-mid", "right", "right-mid"])
    .map((name) => [name, ""])
    .concat([["middle", "  "]]),
);
