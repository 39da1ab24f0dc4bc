import { describe, expect, it } from "vitest";

import { action, assistantMessage, observation, userMessage } from "../create-entries.ts";
import type { HistoryEntry } from "../history-entry.ts";
import { newestOf } from "./memory-tail.ts";

/** A turn is a question, a call with its result, and an answer. */
function turn(nth: number): readonly HistoryEntry[] {
  const toolCalls = [{ id: `c${nth}`, name: "look", arguments: "{}" }];
  return [
    userMessage({ id: `u${nth}`, content: "Hello" }),
    action({ id: `x${nth}`, content: "", toolCalls }),
    observation({
      id: `o${nth}`,
      callId: `c${nth}`,
      toolName: "look",
      outcome: "success",
      content: "Found.",
    }),
    assistantMessage({ id: `a${nth}`, content: "Hi" }),
  ];
}

/** A log that counts which of its entries are looked at. */
function counted(turns: number) {
  const seen = new Set<string>();
  const entries = Array.from({ length: turns }, (_, nth) => turn(nth)).flat();
  const log = new Proxy(entries, {
    get: (target, name, receiver) => {
      if (typeof name === "string" && /^\d+$/u.test(name)) seen.add(name);
      return Reflect.get(target, name, receiver);
    },
  });
  return { log, seen };
}

describe("newestOf", () => {
  it.each([
    ["20 entries", { maxEntries: 20 }, ["u95", "a99"], 52],
    ["an exchange cut in two", { maxEntries: 2 }, ["a99", "a99"], 34],
    ["700 tokens", { maxTokens: 700 }, ["a98", "a99"], 32],
  ])("looks at the end of a log for %s, at any length", (_name, limits, ends, most) => {
    for (const turns of [100, 10_000]) {
      const { log, seen } = counted(turns);
      const { entries, next } = newestOf(log, { clauses: [{}], ...limits });
      expect(seen.size).toBeLessThanOrEqual(most);
      expect(next).toBeDefined();
      expect([entries[0]?.id, entries.at(-1)?.id]).toEqual(
        ends.map((id) => `${id.slice(0, 1)}${Number(id.slice(1)) + turns - 100}`),
      );
    }
  });

  it("goes back to a call that stands far before its result", () => {
    const [question, call, result, answer] = turn(0);
    const between = Array.from({ length: 100 }, (_, nth) => turn(nth + 1)).flat();
    if (!question || !call || !result || !answer) throw new Error("A turn has four entries.");
    const log = [question, call, ...between, result, answer];
    const { entries, next } = newestOf(log, { clauses: [{}], maxEntries: 3 });
    expect([entries.map(({ id }) => id), next]).toEqual([["a100", "a0"], "a100"]);
  });
});
