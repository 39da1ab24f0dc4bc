import { final, synthesis, task, userMessage } from "@agent-history/core";
import type { Agent, HistoryEntry } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { completionDetector } from "./completion-detector.ts";
import type { CompletionContext } from "./completion-detector.ts";

const worker: Agent = { id: "w1", role: "worker" };
const begin = task({ id: "t1", content: "", agent: worker });

describe("completionDetector", () => {
  it("takes an unsigned synthesis of its phase for the end of a named manager's work", () => {
    const manager: Agent = { id: "m1", role: "manager" };
    const started = [
      userMessage({ id: "u1", content: "" }),
      synthesis({ id: "s0", phaseId: "a", content: "" }),
      task({ id: "tm", content: "", agent: manager, phaseId: "b" }),
    ];
    const found = (entries: readonly HistoryEntry[], context: CompletionContext = {}) =>
      completionDetector().detect(entries, { agentId: "m1", ...context })?.entryId;
    expect(found(started)).toBeUndefined();
    const ended = [...started, synthesis({ id: "s1", phaseId: "b", content: "" })];
    expect(found(ended)).toBe("s1");
    expect(found(ended, { role: "manager", phaseId: "b" })).toBe("s1");
    expect(found(ended, { phaseId: "a", taskId: "tm" })).toBeUndefined();
    expect(found(ended, { role: "worker" })).toBeUndefined();
    const others = [...started, synthesis({ id: "s2", phaseId: "c", content: "" })];
    expect(found(others)).toBeUndefined();
    const given = synthesis({ id: "s3", phaseId: "b", taskId: "t9", content: "" });
    expect(found([...started, given])).toBeUndefined();
    expect(found([...ended, userMessage({ id: "u2", content: "" })])).toBeUndefined();
  });

  it("does not take an unsigned synthesis of another phase for the end, where only the phase is named", () => {
    const entries = [
      userMessage({ content: "" }),
      synthesis({ id: "s1", phaseId: 0, content: "" }),
    ];
    const detector = completionDetector();
    expect(detector.detect(entries, { role: "manager", phaseId: 1 })).toBeUndefined();
    expect(detector.detect(entries, { role: "manager", phaseId: 0 })?.entryId).toBe("s1");
  });

  for (const result of [
    { completed: true },
    { response_validation: { complete: true } },
    { responseValidation: { complete: true } },
    { message: "All files were completed." },
    { final_result: "Done." },
    "Task complete.",
    '{"completed": true}',
  ]) {
    it(`takes the result ${JSON.stringify(result)} for the end`, () => {
      expect(completionDetector().detect([begin], { result })).toEqual({ kind: "result" });
    });
  }

  for (const result of [
    undefined,
    null,
    7,
    [],
    "Not done.",
    "{",
    { completed: false, message: "Done." },
    { completed: "true" },
    { success: false, message: "Done." },
    { error: "It broke.", summary: "Done." },
    { message: "done ".repeat(100) },
  ]) {
    it(`does not take the result ${JSON.stringify(result)} for the end`, () => {
      expect(completionDetector().detect([begin], { result })).toBeUndefined();
      const ended = [begin, final({ id: "f1", content: "", agent: worker })];
      expect(completionDetector().detect(ended, { agentId: "w1", result })?.kind).toBe("final");
    });
  }
});
