import { describe, expect, it } from "vitest";

import { canarySession } from "../compaction/canaries.ts";
import { canaryFigures, canaryTable } from "./canaries.ts";

describe("canarySession", () => {
  it("plants each statement once, and what it replaces before it", () => {
    for (const suite of ["types", "changes"] as const) {
      const { turns, canaries } = canarySession(suite, 7);
      const said = turns.map(({ user }) => user);
      for (const { text, tokens, before, stale } of canaries) {
        expect(said.filter((one) => one === text)).toHaveLength(1);
        for (const token of tokens) expect(text.toLowerCase()).toContain(token);
        if (before === undefined) continue;
        expect(said.indexOf(before)).toBeLessThan(said.indexOf(text));
        for (const token of stale) expect(before.toLowerCase()).toContain(token);
      }
    }
  });
});

describe("canaryFigures", () => {
  it("counts what each way keeps under the same budget", async () => {
    const figures = await canaryFigures(7, [0.3]);
    const { head, rows } = canaryTable(figures, 7);
    expect(rows.map((row) => row.length)).toEqual(figures.map(() => head.length));
    const [ours, , firstAndLast] = figures;
    expect(ours).toMatchObject({ conflicts: 64, resolved: 64, stale: 0, overBudget: 0 });
    expect(firstAndLast?.alive).toBeLessThan(ours?.alive ?? 0);
  });
});
