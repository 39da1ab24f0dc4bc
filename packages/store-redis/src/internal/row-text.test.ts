import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { entriesOfRow, entryOfLine, lineOf, packRows, rowOf, ROW_LIMITS } from "./row-text.ts";

/** What JSON and counts look like: any text, none of it raw control characters. */
const entry = fc.record(
  {
    json: fc.jsonValue().map((value) => JSON.stringify(value)),
    tokens: fc.constantFrom('[["counter",3]]', "[]"),
  },
  { requiredKeys: ["json"] },
);

describe("entriesOfRow", () => {
  it("gives back what was joined, each entry at its position", () => {
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1 }), fc.nat(), (entries, first) => {
        const last = first + entries.length - 1;
        const row = rowOf(entries.map((one, index) => lineOf(one, first + index)));
        expect(entriesOfRow(row, last)).toEqual(
          entries.map((one, index) => ({ ...one, position: first + index, rowEnd: last })),
        );
      }),
    );
  });

  it("shows no entry where a character or the position is another", () => {
    fc.assert(
      fc.property(entry, fc.nat(1000), fc.nat(), fc.nat(0xffff), (one, position, at, unit) => {
        const line = lineOf(one, position);
        const index = at % line.length;
        const changed = line.slice(0, index) + String.fromCharCode(unit) + line.slice(index + 1);
        fc.pre(changed !== line && Buffer.from(changed).toString() === changed);
        expect(entryOfLine(changed, position).json).toBe("");
        expect(entryOfLine(line, position + 1).json).toBe("");
      }),
    );
  });
});

describe("packRows", () => {
  it("puts neighbors together, up to the limits, in order and without a gap", () => {
    const lengths = fc.array(fc.constantFrom(1, 100, 3000, 70_000), { maxLength: 100 });
    fc.assert(
      fc.property(lengths, fc.nat(1000), (drawn, first) => {
        const lines = drawn.map((length) => "x".repeat(length));
        const rows = packRows(lines, first);
        expect(rows.flatMap((row) => row.lines)).toEqual(lines);
        let next = first;
        for (const { last, lines: ofRow } of rows) {
          next += ofRow.length;
          expect(last).toBe(next - 1);
          expect(ofRow.length).toBeLessThanOrEqual(ROW_LIMITS.entries);
          const isWithin = rowOf(ofRow).length <= ROW_LIMITS.bytes + ROW_LIMITS.entries;
          expect(ofRow.length === 1 || isWithin).toBe(true);
        }
      }),
    );
  });
});
