import { isHistoryError } from "@agent-history/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryBrokenHistory } from "./arbitrary-broken-history.ts";

describe("arbitraryBrokenHistory", () => {
  it("keeps the entries that it does not break", () => {
    const lossy = arbitraryBrokenHistory({ maxEntries: 30, breakages: ["lost-result"] });

    for (const entries of fc.sample(lossy, { numRuns: 200, seed: 1 })) {
      expect(entries.length).toBeLessThanOrEqual(30);
      expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
    }
  });

  it("takes the constraints of histories", () => {
    const chats = fc.sample(arbitraryBrokenHistory({ flat: true, text: { maxLength: 5 } }), 200);

    expect(chats.flat().filter(({ type }) => type === "task")).toEqual([]);
  });

  it.each([{ breakages: [] }, { maxEntries: -1 }])("refuses %j", (constraints) => {
    let error: unknown;
    try {
      arbitraryBrokenHistory(constraints);
    } catch (thrown) {
      error = thrown;
    }
    expect(isHistoryError(error, "INVALID_OPTION")).toBe(true);
  });
});
