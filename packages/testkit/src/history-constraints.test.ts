import type { HistoryEntry } from "@agent-history/core";
import { groupExchanges, isHistoryError, splitTurns } from "@agent-history/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryHistory } from "./arbitrary-history.ts";
import type { HistoryConstraints } from "./history-constraints.ts";

/** Types that stand beside the turns, and belong to none. */
const BESIDE_TURNS = new Set(["system_message", "summary"]);

describe("HistoryConstraints", () => {
  it.each([0, 1, 2, 3, 5, 13, 40])("keeps to %d entries", (maxEntries) => {
    const longest = Math.max(...sample({ maxEntries }).map(({ length }) => length));

    expect(longest).toBe(maxEntries);
  });

  it.each([
    { turns: 0 },
    { turns: 1, withTurnIds: "all" },
    { turns: 3, withTurnIds: "all" },
    { turns: 3, withTurnIds: "none" },
    { turns: 8, withTurnIds: "all" },
    { turns: 8, withTurnIds: "none", maxEntries: 16 },
    { turns: 3, withTurnIds: "none", flat: true },
  ] as const)("has exactly so many turns with %j", (constraints) => {
    for (const history of sample(constraints)) {
      const turns = splitTurns(history.filter(({ type }) => !BESIDE_TURNS.has(type)));
      expect(turns.filter(begins)).toHaveLength(constraints.turns);
    }
  });

  describe.each([
    ["withTurnIds", "turnId"],
    ["withPhaseIds", "phaseId"],
    ["withTaskIds", "taskId"],
    ["withAgents", "agent"],
  ] as const)("%s", (constraint, mark) => {
    // What could bear a mark is what bears it in the same history with all marks.
    const could = sample({ [constraint]: "all" });

    it("sets none", () => {
      const borne = sample({ [constraint]: "none" })
        .flat()
        .filter((entry) => entry.type !== "task" || mark !== "agent")
        .filter((entry) => mark in entry);

      expect(borne).toEqual([]);
    });

    it("sets all that can be", () => {
      const bare = could.flat().filter((entry) => !(mark in entry));

      expect(bare.filter((entry) => mustBear(entry, mark))).toEqual([]);
    });

    it("sets some", () => {
      const some = sample({ [constraint]: "some" });
      expect(some.filter((history) => isPartly(history, mark)).length).toBeGreaterThan(
        some.length / 4,
      );
    });
  });

  it("leaves a call unanswered in the newest turn while it runs, and none otherwise", () => {
    expect(Math.min(...sample({ running: true }).map(openActions))).toBeGreaterThan(0);
    expect(Math.max(...sample({ running: false }).map(openActions))).toBe(0);
    expect(new Set(sample({}).map((history) => openActions(history) > 0))).toEqual(
      new Set([true, false]),
    );
    expect(Math.max(...sample({ running: true }).map(openActions))).toBeGreaterThan(1);
  });

  it("gives flat chats: one agent, no hierarchy", () => {
    const chats = sample({ flat: true });
    const types = new Set(chats.flat().map(({ type }) => type));
    const traces = chats.map((chat) => chat.filter(({ type }) => type === "action"));

    for (const type of ["task", "delegation", "synthesis", "final", "strategic_plan"] as const) {
      expect(types).not.toContain(type);
    }
    for (const trace of traces) {
      expect(new Set(trace.flatMap(({ agent }) => agent?.id ?? [])).size).toBeLessThanOrEqual(1);
    }
    expect(types).toContain("action");
    expect(chats.flat().filter((entry) => "phaseId" in entry)).toEqual([]);
  });

  it("hands the constraints of texts on", () => {
    const text = { maxLength: 10, loneSurrogates: false };

    expect(JSON.stringify(sample({ text }))).not.toMatch(/\\ud[89a-f]/i);
    const requests = sample({ text })
      .flat()
      .filter(({ type }) => type === "user_message")
      .map(({ content }) => (typeof content === "string" ? content : ""));
    expect(Math.max(...requests.map(({ length }) => length))).toBe(10);
  });

  it.each([
    { maxEntries: -1 },
    { maxEntries: 1.5 },
    { turns: Infinity, maxEntries: Infinity },
    { turns: 3, maxEntries: 5 },
    { turns: 1, maxEntries: 1, running: true },
    { maxEntries: 1, running: true },
  ])("refuses %j", (constraints) => {
    let error: unknown;
    try {
      arbitraryHistory(constraints);
    } catch (thrown) {
      error = thrown;
    }
    expect(isHistoryError(error, "INVALID_OPTION")).toBe(true);
  });
});

function sample(constraints: HistoryConstraints): (readonly HistoryEntry[])[] {
  return fc.sample(arbitraryHistory(constraints), { numRuns: 80, seed: 1 });
}

function begins({ entries }: { readonly entries: readonly HistoryEntry[] }): boolean {
  return entries.some(({ type }) => type === "user_message");
}

/** Says whether an entry bears a mark in a history where everything is marked. */
function mustBear(entry: HistoryEntry, mark: Mark): boolean {
  switch (mark) {
    case "turnId":
      return !BESIDE_TURNS.has(entry.type) && entry.type !== "memory";
    case "phaseId":
      return entry.type === "synthesis" || entry.type === "final";
    case "taskId":
      return entry.type === "synthesis" || entry.type === "final";
    case "agent":
      return ["action", "observation", "error", "final", "synthesis"].includes(entry.type);
  }
}

type Mark = "turnId" | "phaseId" | "taskId" | "agent";

function isPartly(history: readonly HistoryEntry[], mark: Mark): boolean {
  const marked = history.filter((entry) => mustBear(entry, mark)).map((entry) => mark in entry);
  return new Set(marked).size === 2;
}

/** Counts the actions with a call that nobody has answered. */
function openActions(history: readonly HistoryEntry[]): number {
  return groupExchanges(history).filter(
    (group) => group.kind === "exchange" && group.unanswered.length > 0,
  ).length;
}
