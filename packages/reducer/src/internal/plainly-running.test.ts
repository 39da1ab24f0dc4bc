import {
  action,
  groupExchanges,
  observation,
  repairHistory,
  userMessage,
} from "@agent-history/core";
import { arbitraryBrokenHistory, arbitraryHistory, lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { plainlyRunning } from "./plainly-running.ts";

const RUNS = lawRuns(2000);

const history = fc.oneof(
  arbitraryHistory(),
  arbitraryBrokenHistory().map(({ entries }) => entries),
);

describe("plainlyRunning", () => {
  it("says of what needs no repair what a pairing says, or nothing", () => {
    const seen = { plain: 0, running: 0 };
    fc.assert(
      fc.property(history, fc.nat({ max: 12 }), fc.nat(), (entries, size, from) => {
        const start = from % (entries.length + 1);
        const tail = entries.slice(start, start + size);
        const running = plainlyRunning(tail);
        if (running === undefined) return;
        expect(repairHistory(tail).repairs).toEqual([]);
        const group = groupExchanges(tail).find((one) => one.kind === "exchange" && one.running);
        expect(running).toBe(group?.kind === "exchange" ? tail.indexOf(group.action) : -1);
        seen.plain += 1;
        if (running >= 0) seen.running += 1;
      }),
      { numRuns: RUNS },
    );
    expect(seen.plain).toBeGreaterThan(RUNS / 20);
    expect(seen.running).toBeGreaterThan(RUNS / 100);
  });

  it("answers for ordinary turns", () => {
    const asked = userMessage({ id: "u", content: "Why?" });
    const calls = ["c1", "c2"].map((id) => ({ id, name: "look", arguments: "{}" }));
    const acted = action({ id: "x", toolCalls: calls });
    const results = ["c2", "c1"].map((callId) =>
      observation({ id: `o-${callId}`, callId, toolName: "look", outcome: "success", content: "" }),
    );

    expect(plainlyRunning([])).toBe(-1);
    expect(plainlyRunning([asked])).toBe(-1);
    expect(plainlyRunning([asked, acted])).toBe(1);
    expect(plainlyRunning([asked, acted, ...results])).toBe(1);
    expect(plainlyRunning([acted, ...results, asked])).toBe(-1);
    expect(plainlyRunning([acted, ...results.slice(1), asked])).toBeUndefined();
    expect(plainlyRunning([acted, acted])).toBeUndefined();
  });
});
