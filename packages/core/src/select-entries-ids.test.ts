import { describe, expect, it } from "vitest";

import { action, assistantMessage, observation, userMessage } from "./create-entries.ts";
import type { HistoryEntry } from "./history-entry.ts";
import { isHistoryError } from "./history-error.ts";
import type { HistoryQuery } from "./history-query.ts";
import { MAX_QUERY_IDS } from "./history-store.ts";
import { selectEntries } from "./select-entries.ts";

describe("selectEntries, ids", () => {
  const history = [
    userMessage({ id: "u1", content: "" }),
    action({ id: "a1", toolCalls: [{ id: "c1", name: "read", arguments: "{}" }] }),
    observation({ id: "o1", callId: "c1", toolName: "read", outcome: "success", content: "" }),
    assistantMessage({ id: "m1", content: "" }),
    userMessage({ id: "u2", content: "" }),
  ];

  it("shows the entries named, in their order, and nothing for a name that is not there", () => {
    expect(shown({ clauses: [{ ids: ["u2", "gone", "u1", "u2"] }] })).toBe("u1 u2");
    expect(shown({ clauses: [{ ids: [] }] })).toBe("");
    expect(shown({ clauses: [{ ids: ["__proto__", ""] }] })).toBe("");
  });

  it("asks for what is named beside the other conditions of its clause", () => {
    expect(shown({ clauses: [{ ids: ["u1", "m1"], types: ["user_message"] }] })).toBe("u1");
    expect(shown({ clauses: [{ ids: ["u1"] }, { types: ["assistant_message"] }] })).toBe("u1 m1");
  });

  it("shows no exchange in part, if that is asked for", () => {
    const wholeExchanges = true;
    expect(shown({ clauses: [{ ids: ["a1", "u1"] }], wholeExchanges })).toBe("u1");
    expect(shown({ clauses: [{ ids: ["a1", "o1"] }], wholeExchanges })).toBe("a1 o1");
    expect(shown({ clauses: [{ ids: ["o1"] }] })).toBe("o1");
  });

  it("does not take an entry without an id for one that is named", () => {
    const nameless: HistoryEntry = JSON.parse('{ "type": "user_message", "content": "" }');
    expect(selectEntries([nameless], { clauses: [{ ids: ["undefined", ""] }] })).toEqual([]);
  });

  it(`refuses more than ${MAX_QUERY_IDS} ids in all clauses together`, () => {
    const ids = Array.from({ length: MAX_QUERY_IDS }, (_, nth) => `u${nth}`);
    expect(shown({ clauses: [{ ids }] })).toBe("u1 u2");
    expect(refusal({ clauses: [{ ids }, { ids: ["u1"] }] })).toEqual({ option: "ids" });
  });

  it.each([null, "u1", {}, 3])("refuses %j for a list of ids", (ids) => {
    expect(refusal({ clauses: [{ ids }] } as never)).toEqual({ option: "ids" });
  });

  function shown(query: HistoryQuery): string {
    return selectEntries(history, query)
      .map(({ id }) => id)
      .join(" ");
  }

  function refusal(query: HistoryQuery): unknown {
    try {
      return shown(query);
    } catch (error) {
      return isHistoryError(error, "INVALID_QUERY") ? error.details : error;
    }
  }
});
