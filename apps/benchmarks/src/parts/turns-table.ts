import type { ResultTable } from "../report/result-table.ts";
import { milliseconds } from "../report/statistics.ts";
import { timingCells } from "../report/timing-cells.ts";
import type { CallFigures } from "./call-turns.ts";

/** What a table of calls says before its figures. */
export interface TurnsTable<Row> {
  readonly title: string;
  readonly note: string;
  /** The columns that tell on which conversation a row was measured: their heads and their cells. */
  readonly conversation: Readonly<Record<string, (row: Row) => string>>;
}

/** Draws what each system took for one more turn of a conversation. */
export function turnsTable<Row extends CallFigures>(
  rows: readonly Row[],
  { title, note, conversation }: TurnsTable<Row>,
): ResultTable {
  const cells = Object.values(conversation);
  return {
    title,
    note,
    head: [
      ...Object.keys(conversation),
      "system",
      "first",
      "kept, fastest",
      "kept, median",
      "parsed again, fastest",
      "parsed again, median",
      "load",
    ],
    rows: rows.map((row) => [
      ...cells.map((cell) => cell(row)),
      row.system,
      milliseconds(row.firstMs),
      ...timingCells(row.kept),
      ...timingCells(row.parsedAgain),
      row.parsedAgain.load.toFixed(1),
    ]),
    figures: rows,
  };
}
