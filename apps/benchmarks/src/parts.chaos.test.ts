import { expect, it } from "vitest";

import type { ResultTable } from "./harness.ts";
import { measureParts, PART_NAMES } from "./parts.ts";

// Everything once, small and ours only. Packing and the packages' own benches are tested with the packages.
const NAMES = PART_NAMES.filter((name) => !["sizes", "cold", "packages"].includes(name));

it("measures something in every cell, and finds nothing broken in what is ours", async () => {
  const tables: ResultTable[] = [];
  const broken = await measureParts(NAMES, {
    isQuick: true,
    isCheck: false,
    isNamed: true,
    withPeers: false,
    onPart: (_name, result) => tables.push(...result.tables),
  });

  expect(broken).toEqual([]);
  expect(tables.length).toBeGreaterThanOrEqual(NAMES.length);
  for (const { head, rows } of tables) {
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.map((row) => row.length)).toEqual(rows.map(() => head.length));
    expect(rows.flat().filter((cell) => /^$|NaN|undefined$|Infinity/.test(cell))).toEqual([]);
  }
});

it("refuses a part that it does not know, and says which there are", async () => {
  const options = {
    isQuick: true,
    isCheck: false,
    isNamed: true,
    withPeers: false,
    onPart: () => undefined,
  };

  await expect(measureParts(["fitt"], options)).rejects.toThrow(/Expected parts of .*, got fitt/);
});
