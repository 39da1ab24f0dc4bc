import { describe, expect, it } from "vitest";

import { windowTables } from "./windows-table.ts";
import { generatedConversations, measureWindows } from "./windows.ts";

const WINDOWS = [400, 3000];
const conversations = generatedConversations(12);
const calls = conversations.reduce((sum, one) => sum + one.calls.length, 0);
const figures = measureWindows(conversations, WINDOWS);

describe("measureWindows", () => {
  it("fits every conversation at every call, at every window, in both ways", () => {
    expect(
      figures.map(({ windowTokens, isIncremental }) => `${windowTokens} ${isIncremental}`),
    ).toEqual(["400 false", "400 true", "3000 false", "3000 true"]);
    for (const { prompts, refused, cut, used, first } of figures) {
      expect(prompts).toBe(calls);
      const begun = first.user + first.assistant + first.tool + first.nothing;
      expect(begun).toBe(prompts - refused);
      expect(used).toBeLessThanOrEqual(cut);
    }
  });

  it("cuts less in a large window, and keeps more of what was sent with the plan of the call before", () => {
    const [small, , large] = figures;
    expect(small?.cut).toBeGreaterThan(large?.cut ?? Infinity);
    const prefixes = figures.map(({ prefixTokens, sentTokens }) => prefixTokens / sentTokens);
    expect(prefixes[1]).toBeGreaterThan(prefixes[0] ?? 1);
  });

  it("breaks no law", () => {
    expect(figures.map(({ broken }) => broken)).toEqual(figures.map(() => ({})));
  });
});

describe("windowTables", () => {
  it("draws a cell for each column, by window, by conversations and in all", () => {
    const tables = windowTables(figures);
    expect(tables.map(({ rows }) => rows.length).slice(0, 2)).toEqual([6, 2]);
    for (const { head, rows } of tables) {
      expect(rows.map((row) => row.length)).toEqual(rows.map(() => head.length));
      expect(rows.flat().filter((cell) => /^$|NaN|undefined/.test(cell))).toEqual([]);
    }
  });
});
