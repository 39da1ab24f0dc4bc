import { isHistoryError } from "@agent-history/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryExchange } from "./arbitrary-exchange.ts";
import { lawRuns } from "./law-runs.ts";

describe("arbitraryExchange", () => {
  it("answers each call of its action once", () => {
    fc.assert(
      fc.property(arbitraryExchange(), ([action, ...observations]) => {
        const calls = action.toolCalls.map(({ id, name }) => [id, name].join("\n"));
        const answers = observations.map(({ callId, toolName }) => [callId, toolName].join("\n"));
        expect(answers.toSorted()).toEqual(calls.toSorted());
        expect(new Set(action.toolCalls.map(({ id }) => id)).size).toBe(action.toolCalls.length);
      }),
      { numRuns: lawRuns(400) },
    );
  });

  it("gives each entry an id of its own, and names only its own action", () => {
    fc.assert(
      fc.property(arbitraryExchange(), ([action, ...observations]) => {
        expect(new Set([action, ...observations].map(({ id }) => id)).size).toBe(
          1 + observations.length,
        );
        const named = observations.flatMap(({ actionId }) => actionId ?? []);
        expect(named.filter((id) => id !== action.id)).toEqual([]);
      }),
    );
  });

  it("has parallel calls, also answered out of order, and actions without content", () => {
    const exchanges = fc.sample(arbitraryExchange(), { numRuns: 500, seed: 1 });
    const isOutOfOrder = exchanges.map(
      ([action, first]) => first !== undefined && first.callId !== action.toolCalls[0]?.id,
    );

    expect(new Set(exchanges.map(([action]) => action.toolCalls.length))).toEqual(
      new Set([1, 2, 3]),
    );
    expect(isOutOfOrder).toContain(true);
    expect(exchanges.some(([action]) => !("content" in action))).toBe(true);
  });

  it("has as many calls as asked for, all of one agent", () => {
    const agent = { id: "w", role: "worker" } as const;

    for (const entries of fc.sample(arbitraryExchange({ calls: 5, agent }), 100)) {
      expect(entries).toHaveLength(6);
      expect(entries.filter((entry) => entry.agent !== agent)).toEqual([]);
    }
  });

  it("leaves a call unanswered while it runs", () => {
    for (const [action, ...observations] of fc.sample(arbitraryExchange({ running: true }), 500)) {
      expect(observations.length).toBeLessThan(action.toolCalls.length);
    }
  });

  it.each([0, -1, 1.5, Number.NaN, Infinity])("refuses %d calls", (calls) => {
    let error: unknown;
    try {
      arbitraryExchange({ calls });
    } catch (thrown) {
      error = thrown;
    }
    expect(isHistoryError(error, "INVALID_OPTION")).toBe(true);
  });
});
