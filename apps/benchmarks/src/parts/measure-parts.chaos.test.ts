import { beforeAll, describe, expect, it } from "vitest";

import { findRedisProgram } from "../../../../packages/store-redis/test-support/servers/find-redis-program.ts";
import type { ResultTable } from "../report/result-table.ts";
import type { CorrectFigures } from "./correct.ts";
import { measureParts, PART_NAMES } from "./measure-parts.ts";

// Everything once, small and of ours only. What is fast is no matter of a test.

const QUICK = { isQuick: true, isCheck: false, withPeers: false } as const;
let tables: readonly ResultTable[] = [];
let broken: readonly string[] = [];

beforeAll(async () => {
  // Packing takes longer than all the rest and is tested with the packages; their benches are their own; windows and cold processes have tests beside them.
  const names = PART_NAMES.filter(
    (name) => !["size", "packages", "windows", "cold", "sessions"].includes(name),
  );
  const withRedis = (await findRedisProgram()).kind !== "none";
  ({ tables, broken } = await measureParts(names, { ...QUICK, withRedis }, () => undefined));
});

describe("measureParts", () => {
  it("gives a table of each part, with a cell for each column", () => {
    expect(tables.map(({ title }) => title.split(":")[0])).toEqual([
      "Fit",
      "Call",
      "Call",
      "Call",
      "Correct",
      "Evidence",
      "Evidence",
      "Evidence",
      "Cache",
      "Reasoning",
      "Count",
      "Store",
      "Views",
      "Manager",
      "Stages",
    ]);
    for (const { head, rows, figures } of tables) {
      expect(rows.length).toBeGreaterThan(1);
      expect(rows.map((row) => row.length)).toEqual(rows.map(() => head.length));
      expect(figures).toHaveLength(rows.length);
    }
  });

  it("measures something in every cell", () => {
    const cells = tables.flatMap(({ rows }) => rows.flat());
    expect(cells.filter((cell) => /^$|NaN|undefined|Infinity/.test(cell))).toEqual([]);
  });

  it("finds no violation in what our own systems send, and refusals only where nothing else is possible", () => {
    const figures = tables.find(({ title }) => title.startsWith("Correct"))?.figures ?? [];
    const ours = figures
      .filter(isCorrect)
      .filter(({ system }) => system.startsWith("agent-history"));

    expect(
      ours.map(({ faults }) => Object.values(faults).reduce((sum, one) => sum + one, 0)),
    ).toEqual([0, 0]);
    expect(ours.every(({ cases, refused }) => cases > 0 && refused < cases)).toBe(true);
    expect(broken).toEqual([]);
  });

  it("refuses a part that it does not know, and says which there are", async () => {
    const run = measureParts(["fitt"], { ...QUICK, withRedis: false }, () => undefined);

    await expect(run).rejects.toThrow(/Expected parts of fit, .*, got fitt/);
  });
});

function isCorrect(figures: object): figures is CorrectFigures {
  return "faults" in figures;
}
