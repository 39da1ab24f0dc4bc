import { action, observation, task } from "@agent-history/core";
import type { Agent, HistoryEntry } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { findLoop } from "./find-loop.ts";

const worker: Agent = { id: "w1", role: "worker" };
const begin = task({ id: "t1", content: "", agent: worker });

describe("findLoop", () => {
  const again = ["1", "2", "3"].flatMap((id) => exchange(id, "same"));

  it("finds no loop in calls and results that cannot be read", () => {
    const cyclic: unknown[] = [];
    cyclic.push(cyclic);
    for (const strange of [{ toolCalls: null }, { content: cyclic }, { content: 1n }]) {
      const broken = again.map((entry) => Object.assign({ ...entry }, strange));
      expect(findLoop([begin, ...broken], { agentId: "w1" })).toBeUndefined();
    }
  });

  it("finds the same call with the same result three times", () => {
    expect(findLoop([begin, ...again], { agentId: "w1" })).toEqual({
      toolNames: ["read"],
      actionIds: ["a1", "a2", "a3"],
    });
  });

  it("finds no loop in two, or where a result differs", () => {
    expect(findLoop([begin, ...again.slice(2)], { agentId: "w1" })).toBeUndefined();
    const changed = [begin, ...again.slice(0, 4), ...exchange("3", "new")];
    expect(findLoop(changed, { agentId: "w1" })).toBeUndefined();
  });

  for (const [what, changes] of [
    ["tool", { name: "write" }],
    ["arguments", { arguments: '{"page":2}' }],
    ["outcome", { outcome: "error" }],
    ["sources", { sources: [{ number: 1, id: "doc-1", text: "" }] }],
  ] as const) {
    it(`finds no loop where one of them differs in ${what}`, () => {
      const entries = again.map((entry, index) => {
        if (index > 1) return entry;
        if (entry.type !== "action") return { ...entry, ...changes };
        return { ...entry, toolCalls: entry.toolCalls.map((made) => ({ ...made, ...changes })) };
      });
      expect(findLoop([begin, ...entries], { agentId: "w1" })).toBeUndefined();
    });
  }

  it("does not count calls that wait for their results", () => {
    const waiting = again.filter(({ type }) => type === "action");
    expect(findLoop([begin, ...waiting], { agentId: "w1" })).toBeUndefined();
    expect(findLoop([begin, ...again, ...exchange("4", "").slice(0, 1)])?.actionIds).toEqual([
      "a1",
      "a2",
      "a3",
    ]);
  });

  it("finds no loop that the agent has left", () => {
    const left = [begin, ...again, ...exchange("4", "else")];
    expect(findLoop(left, { agentId: "w1" })).toBeUndefined();
  });

  it("finds a loop among other calls, within the depth", () => {
    const mixed = [...again.slice(0, 4), ...exchange("x", "else"), ...exchange("3", "same")];
    expect(findLoop([begin, ...mixed], { agentId: "w1" })?.actionIds).toEqual(["a1", "a2", "a3"]);
    expect(findLoop([begin, ...mixed], { agentId: "w1", depth: 3 })).toBeUndefined();
    expect(findLoop([begin, ...again], { agentId: "w1", depth: 0 })).toBeUndefined();
  });

  it("does not count what was done for an earlier task, or by another agent", () => {
    const next = task({ id: "t2", content: "", agent: worker });
    const entries = [begin, ...again.slice(0, 4), next, ...exchange("3", "same")];
    expect(findLoop(entries, { agentId: "w1" })).toBeUndefined();
    expect(findLoop([begin, ...again], { agentId: "w2" })).toBeUndefined();
  });

  for (const options of [{ repetitions: 1 }, { repetitions: NaN }, { depth: -1 }]) {
    it(`refuses ${JSON.stringify(options)}`, () => {
      expect(() => findLoop([], options)).toThrowError(
        expect.objectContaining({ code: "INVALID_OPTION" }),
      );
    });
  }
});

function exchange(id: string, content: string): readonly HistoryEntry[] {
  const call = { id: `c${id}`, name: "read", arguments: "{}" };
  return [
    action({ id: `a${id}`, agent: worker, toolCalls: [call] }),
    observation({
      id: `o${id}`,
      agent: worker,
      callId: call.id,
      toolName: "read",
      outcome: "success",
      content,
    }),
  ];
}
