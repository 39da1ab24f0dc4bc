import { describe, expect, it } from "vitest";

import { tableRows } from "./table-rows.ts";

describe("tableRows", () => {
  it("gives the cells of rows, without heads, rules and marks of code", () => {
    const page = [
      "Text | with a bar",
      "",
      "| a | b |",
      "| --- | ---: |",
      "| one, `two` | 1 \\| 2 |",
      "|  |  |",
      "",
      "| c |",
      "| - |",
      "| 3 |",
    ].join("\n");

    expect(tableRows(page)).toEqual([["one, two", "1 \\| 2"], ["", ""], ["3"]]);
  });
});
