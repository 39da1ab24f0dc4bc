import { action, assistantMessage, observation, userMessage } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import type { TargetFormat } from "./fit-for-target.ts";
import { finishedReasoning, forReader, writtenBy } from "./reader-rules.ts";
import { repairFor } from "./wire-rules.ts";

const content = [
  { type: "reasoning", text: "Rome.", data: { signature: "c2ln" } },
  { type: "text", text: "One moment." },
] as const;
const origin = { format: "own", message: "m1", index: 0, extra: { thoughtSignature: "c2ln" } };
const answered = assistantMessage({ id: "a1", content: [...content], origin });
const called = action({
  id: "a2",
  content: [...content],
  toolCalls: [{ id: "c1", name: "find", arguments: "{}", extra: { thoughtSignature: "c2ln" } }],
  origin: { ...origin, message: "m2" },
});
const asked = userMessage({ id: "u1", content: "To Rome, please." });
const found = observation({
  id: "o1",
  callId: "c1",
  toolName: "find",
  outcome: "success",
  content: "Two.",
});
const running = [asked, answered, asked, called, found];
const TARGET: TargetFormat = { rules: [], weigh: (entry) => entry };
const BY = { model: "claude-opus-5-5-20260801", organization: "acme" };

function sent(entries: readonly HistoryEntry[], target: TargetFormat): readonly HistoryEntry[] {
  return repairFor(target, entries).entries;
}

describe("forReader", () => {
  it("keeps what the same model wrote, and what no one said who wrote, by identity", () => {
    const own = writtenBy(running, BY);
    expect(sent(own, forReader(TARGET, { model: "anthropic/claude-opus-5-5" }))).toBe(own);
    expect(sent(running, forReader(TARGET, { model: "claude-sonnet-5" }))).toBe(running);
    expect(forReader(TARGET, {})).toBe(TARGET);
  });

  it("leaves out the reasoning and the signatures of another model, and no words", () => {
    const now = sent(writtenBy(running, BY), forReader(TARGET, { model: "claude-sonnet-5" }));
    expect(JSON.stringify(now)).not.toContain("c2ln");
    expect(now.map((entry) => entry.content)).toEqual([
      asked.content,
      [content[1]],
      asked.content,
      [content[1]],
      found.content,
    ]);
    expect(now[3]).toMatchObject({
      leftOut: [0],
      toolCalls: [{ id: "c1" }],
      origin: { format: "own" },
    });
  });

  it("keeps the reasoning of the running exchange where the provider asks for it", () => {
    const target = forReader({ ...TARGET, needsReasoning: true }, { model: "claude-sonnet-5" });
    const stamped = writtenBy(running, BY);
    const now = sent(stamped, target);
    expect(now[3]).toBe(stamped[3]);
    expect(now[1]?.content).toEqual([content[1]]);
    const finished = [...stamped, assistantMessage({ id: "a3", content: "Two." })];
    expect(sent(finished, target)[3]?.content).toEqual([content[1]]);
  });

  it("treats answers of another account as those of another format", () => {
    const now = sent(writtenBy(running, BY), forReader(TARGET, { ...BY, organization: "other" }));
    expect(JSON.stringify(now)).not.toContain("c2ln");
    expect(now.filter((entry) => entry.origin !== undefined)).toEqual([]);
  });

  it("takes the model that a message names", () => {
    const named = { ...answered, origin: { ...origin, extra: { model: "claude-opus-4-8" } } };
    expect(sent([named], forReader(TARGET, { model: "claude-opus-5-5" }))[0]?.content).toEqual([
      content[1],
    ]);
  });
});

describe("finishedReasoning", () => {
  it("leaves out reasoning but that of the running exchange", () => {
    const rules = [finishedReasoning("https://example.com", "own")];
    const now = repairFor({ rules }, running).entries;
    expect(now[1]?.content).toEqual([content[1]]);
    expect(now[3]).toBe(called);
    expect(repairFor({ rules }, running.slice(0, -1)).entries[3]?.content).toEqual([content[1]]);
  });
});
