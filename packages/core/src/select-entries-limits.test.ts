import { describe, expect, it } from "vitest";

import { action, assistantMessage, observation, userMessage } from "./create-entries.ts";
import type { HistoryQuery } from "./history-query.ts";
import { selectEntries } from "./select-entries.ts";

describe("selectEntries, range and limits", () => {
  const exchange = [
    userMessage({ id: "u1", content: "" }),
    action({ id: "a1", toolCalls: [{ id: "c1", name: "read", arguments: "{}" }] }),
    observation({ id: "o1", callId: "c1", toolName: "read", outcome: "success", content: "" }),
    assistantMessage({ id: "m1", content: "" }),
  ];

  it("shows what lies between two entries", () => {
    expect(shown({ after: "u1", before: "m1" })).toBe("a1 o1");
  });

  it("shows no exchange in part where the range cuts it, if that is asked for", () => {
    expect(shown({ before: "o1", wholeExchanges: true })).toBe("u1");
    expect(shown({ after: "a1", wholeExchanges: true })).toBe("m1");
    expect(shown({ before: "o1" })).toBe("u1 a1");
  });

  it("refuses a bound that is not in the history, rather than to show too much", () => {
    expect(() => selectEntries(exchange, { clauses: [{}], after: "gone" })).toThrowError(
      expect.objectContaining({ code: "NOT_FOUND" }),
    );
  });

  it.each([undefined, null, {}, "all"])("refuses %j for clauses", (clauses) => {
    expect(() => selectEntries(exchange, { clauses } as never)).toThrowError(
      expect.objectContaining({ code: "INVALID_QUERY" }),
    );
  });

  it("shows the newest so many entries", () => {
    expect(shown({ maxEntries: 3 })).toBe("a1 o1 m1");
    expect(shown({ maxEntries: 2, wholeExchanges: true })).toBe("m1");
    expect(shown({ maxEntries: 2 })).toBe("o1 m1");
    expect(shown({ maxEntries: 0 })).toBe("");
  });

  it("counts against a limit only what the range shows", () => {
    expect(shown({ before: "m1", maxEntries: 2 })).toBe("a1 o1");
  });

  it("shows the newest entries of so many bytes of JSON", () => {
    const bytes = new TextEncoder().encode(JSON.stringify(exchange[3])).length;
    expect(shown({ maxBytes: bytes })).toBe("m1");
    expect(shown({ maxBytes: bytes - 1 })).toBe("");
    const kanji = [userMessage({ id: "u1", createdAtMs: 0, content: "漢字" })];
    const maxBytes = JSON.stringify(kanji[0]).length;
    expect(selectEntries(kanji, { clauses: [{}], maxBytes })).toEqual([]);
    expect(selectEntries(kanji, { clauses: [{}], maxBytes: maxBytes + 4 })).toBe(kanji);
  });

  for (const limit of ["maxEntries", "maxBytes"] as const) {
    it(`refuses a ${limit} that is not a count`, () => {
      for (const value of [-1, 0.5, NaN]) {
        expect(() => shown({ [limit]: value })).toThrowError(
          expect.objectContaining({ code: "INVALID_QUERY" }),
        );
      }
    });
  }

  function shown(query: Omit<HistoryQuery, "clauses">): string {
    const selected = selectEntries(exchange, { clauses: [{}], ...query });
    return selected.map(({ id }) => id).join(" ");
  }
});
