import { describe, expect, it } from "vitest";

import { markdownTable } from "./result-table.ts";
import type { ResultTable } from "./result-table.ts";
import { replaceTables } from "./write-results.ts";

describe("replaceTables", () => {
  it("puts tables into the places of those of their titles, or behind all, and says of which run they are", () => {
    const replaced = replaceTables(
      [table("Fit", "old"), table("Count", "old")],
      [table("Call", "new"), table("Fit", "new")],
      "Measured today.",
    );

    expect(replaced.map(({ title, note, run }) => [title, note, run])).toEqual([
      ["Fit", "new", "Measured today."],
      ["Count", "old", undefined],
      ["Call", "new", "Measured today."],
    ]);
    expect(
      replaced.map(markdownTable).filter((text) => text.includes("Measured today.")),
    ).toHaveLength(2);
  });
});

function table(title: string, note: string): ResultTable {
  return { title, note, head: ["what"], rows: [], figures: [] };
}
