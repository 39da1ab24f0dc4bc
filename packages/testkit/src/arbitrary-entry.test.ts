import type { ActionEntry, EntryType, HistoryEntry } from "@agent-history/core";
import { ENTRY_TYPES } from "@agent-history/core";
import * as fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";

import { arbitraryEntry } from "./arbitrary-entry.ts";

const BASE = ["turnId", "phaseId", "taskId", "agent", "pinned", "origin", "metadata"];

/** Beside {@link BASE}, written down by hand from the interfaces. */
const OPTIONAL: Readonly<Record<EntryType, readonly string[]>> = {
  system_message: [],
  user_message: ["rendered"],
  assistant_message: [],
  task: ["from"],
  action: ["content"],
  observation: ["actionId", "sources"],
  error: ["errorType"],
  global_observation: ["sources"],
  synthesis: [],
  final: [],
  strategic_plan: [],
  delegation: ["to"],
  summary: ["view", "covers", "parts"],
  memory: ["trust"],
  attachment: ["name"],
  opaque: ["content"],
};

describe("arbitraryEntry", () => {
  it("gives every type", () => {
    const types = fc.sample(arbitraryEntry(), { numRuns: 2000, seed: 1 }).map(({ type }) => type);

    expect(new Set(types)).toEqual(new Set(ENTRY_TYPES));
  });

  describe.each(ENTRY_TYPES)("of type %s", (type) => {
    const optional = BASE.concat(OPTIONAL[type]);
    // A task always has an agent.
    const absent = optional.filter((name) => type !== "task" || name !== "agent");

    it("gives that type alone", () => {
      const types = fc.sample(arbitraryEntry({ type }), 100).map((entry) => entry.type);

      expect(new Set(types)).toEqual(new Set([type]));
    });

    it("sets every optional field when asked for all", () => {
      for (const entry of fc.sample(arbitraryEntry({ type, optional: "all" }), 200)) {
        expect(optional.filter((name) => !(name in entry))).toEqual([]);
      }
    });

    it("sets no optional field when asked for none", () => {
      for (const entry of fc.sample(arbitraryEntry({ type, optional: "none" }), 200)) {
        expect(absent.filter((name) => name in entry)).toEqual([]);
      }
    });

    it("sets each optional field now and then, otherwise", () => {
      const entries = fc.sample(arbitraryEntry({ type }), { numRuns: 500, seed: 1 });

      for (const name of absent) {
        expect(entries.some((entry) => name in entry)).toBe(true);
        expect(entries.some((entry) => !(name in entry))).toBe(true);
      }
    });
  });

  it("gives plain objects that JSON can hold, and no field that is undefined", () => {
    for (const entry of fc.sample(arbitraryEntry(), { numRuns: 2000, seed: 1 })) {
      expect(Object.getPrototypeOf(entry)).toBe(Object.prototype);
      expect(JSON.parse(JSON.stringify(entry))).toStrictEqual(entry);
    }
  });

  it("is typed by its type", () => {
    expectTypeOf(arbitraryEntry({ type: "action" })).toEqualTypeOf<fc.Arbitrary<ActionEntry>>();
    expectTypeOf(arbitraryEntry()).toEqualTypeOf<fc.Arbitrary<HistoryEntry>>();
  });
});
