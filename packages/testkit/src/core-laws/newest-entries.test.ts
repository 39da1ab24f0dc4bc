import { action, assistantMessage, observation } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { selectPage } from "@agent-history/core/query-parts";
import { memoryStore } from "@agent-history/store-kit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { lawRuns } from "../law-runs.ts";

describe("a read of the newest entries, by memoryStore", () => {
  it("shows what selectPage shows, wherever calls and results stand", async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryCalls(),
        fc.nat({ max: 60 }),
        fc.constantFrom("maxEntries", "maxTokens"),
        async (entries, limit, kind) => {
          const store = memoryStore();
          await store.append("t", entries);
          const limits = kind === "maxEntries" ? { maxEntries: limit } : { maxTokens: limit * 90 };
          const query = { clauses: [{}], ...limits };
          const { entries: shown, next } = await store.read("t", { query });
          const page = { entries: shown, ...(next !== undefined && { next }) };
          expect(page).toEqual(selectPage(entries, query));
        },
      ),
      { numRuns: lawRuns(300) },
    );
  });
});

/** A long log in which results stand near to their calls and far from them, have none, or name their action. */
function arbitraryCalls(): fc.Arbitrary<readonly HistoryEntry[]> {
  const part = fc.record({
    kind: fc.constantFrom(
      "action",
      "action",
      "observation",
      "answer",
      "answer",
      "answer",
      "answer",
    ),
    call: fc.constantFrom("c1", "c2", "c3"),
    agent: fc.constantFrom(undefined, "w"),
    named: fc.nat({ max: 30 }),
    caller: fc.nat({ max: 6 }),
  });
  return fc.array(part, { minLength: 30, maxLength: 200, size: "max" }).map((parts) =>
    parts.map(({ kind, call, agent, named, caller }, nth): HistoryEntry => {
      const id = `e${nth}`;
      const by = agent === undefined ? {} : { agent: { id: agent, role: "worker" as const } };
      if (kind === "answer") return assistantMessage({ id, content: "Hi", ...by });
      if (kind === "observation") {
        const of = named > 3 ? {} : { actionId: `e${Math.max(0, nth - 10 * named - 1)}` };
        const result = { toolName: "look", content: "Found.", outcome: "success" as const };
        return observation({ id, callId: call, ...result, ...of, ...by });
      }
      const inner = caller === 0 ? { callerId: call === "c1" ? "c2" : "c1" } : {};
      const toolCalls = [{ id: call, name: "look", arguments: "{}", ...inner }];
      return action({ id, content: "", toolCalls, ...by });
    }),
  );
}
