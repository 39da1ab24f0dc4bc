import { checkHistory } from "@agent-history/core/check";
import { describe, expect, it } from "vitest";

import { readItems, readLines } from "../test-support/read-lines.ts";
import { copilotReader } from "./copilot-reader.ts";
import { sessionMeter } from "./measured-session.ts";
import { sessionSummary } from "./session-summary.ts";

const event = (type: string, data: object, second = 0): string =>
  JSON.stringify({ type, data, id: `e${second}`, timestamp: `2026-06-23T05:17:${10 + second}Z` });

const context = { cwd: "/work/shop", branch: "main" };
const start = event("session.start", {
  sessionId: "s1",
  copilotVersion: "1.0.64",
  selectedModel: "gpt-5",
  context,
});
const calling = event(
  "assistant.message",
  {
    messageId: "m1",
    apiCallId: "a1",
    model: "claude-opus-4.8",
    content: "I run them.",
    toolRequests: [{ toolCallId: "c1", name: "bash", arguments: { command: "npm test" } }],
    outputTokens: 40,
  },
  2,
);
const result = event(
  "tool.execution_complete",
  { toolCallId: "c1", success: false, error: { message: "exit 1" } },
  3,
);

describe("copilotReader", () => {
  it("adds the totals of a session's end to what its calls reported, once", () => {
    const line = (type: string, data: object) => JSON.stringify({ type, data, id: type });
    const answer = { messageId: "m1", content: "Yes.", model: "gpt-5.4-mini", outputTokens: 30 };
    const usage = {
      inputTokens: 15_534,
      cacheReadTokens: 14_848,
      cacheWriteTokens: 0,
      outputTokens: 45,
    };
    const end = line("session.shutdown", { modelMetrics: { "gpt-5.4-mini": { usage } } });
    const reader = copilotReader();
    const meter = sessionMeter({ countEntry: () => 1 });
    for (const text of [
      line("user.message", { content: "Go on." }),
      line("assistant.message", answer),
      end,
    ]) {
      for (const item of reader.read(text)) meter.add(item);
    }
    expect(sessionSummary([meter.result()])).toMatchObject({
      calls: 1,
      usage: { inputTokens: 686, cacheReadTokens: 14_848, outputTokens: 45 },
    });
  });

  it("reads an answer with its calls as one entry, its results, and its output tokens", () => {
    const { entries, calls, facts } = readLines(copilotReader(), [
      start,
      event("system.message", { role: "system", content: "You are a CLI." }),
      event("user.message", { content: "Run the tests.", transformedContent: "…" }, 1),
      event("hook.start", { hookType: "postToolUse" }, 1),
      calling,
      result,
      event("system.message", { role: "system", content: "You are a CLI." }, 4),
      event("assistant.message", { messageId: "m2", content: "One is red.", outputTokens: 5 }, 5),
    ]);

    expect(facts).toEqual({
      sessionId: "s1",
      cwd: "/work/shop",
    });
    expect(entries.map(({ type, content }) => [type, content])).toEqual([
      ["system_message", "You are a CLI."],
      ["user_message", "Run the tests."],
      ["action", "I run them."],
      ["observation", "exit 1"],
      ["assistant_message", "One is red."],
    ]);
    expect(entries[3]).toMatchObject({ callId: "c1", toolName: "bash", outcome: "error" });
    expect(calls.map(({ id, model, usage }) => [id, model, usage.outputTokens])).toEqual([
      ["a1", "claude-opus-4.8", 40],
      ["m2", "gpt-5", 5],
    ]);
    expect(checkHistory(entries)).toEqual([]);
  });

  it("goes on behind an answer that says nothing, and counts a call that is logged twice once", () => {
    const silent = event("assistant.message", { apiCallId: "a1", content: "", toolRequests: [] });
    const asked = event("user.message", { content: "And?" }, 3);
    const { entries, calls } = readLines(copilotReader(), [start, calling, silent, asked]);

    expect(entries.map(({ type }) => type)).toEqual(["action", "user_message"]);
    expect(calls).toHaveLength(1);
  });

  it("reads a compaction and its summary", () => {
    const compaction = event("session.compaction_complete", {
      success: true,
      preCompactionTokens: 90_000,
      postCompactionTokens: 9000,
      summaryContent: "The tests are red.",
    });
    const { entries, compactions } = readLines(copilotReader(), [calling, result, compaction]);

    expect(compactions).toMatchObject([{ how: "summary", preTokens: 90_000 }]);
    expect(entries.at(-1)).toMatchObject({ type: "summary", content: "The tests are red." });
  });

  it("gives calls and turns alone where no entries are asked for", () => {
    const items = readItems(copilotReader({ entries: false }), [
      start,
      event("user.message", { content: "Run the tests." }),
      calling,
    ]);
    expect(items.map(({ kind }) => kind)).toEqual(["session", "turn", "call"]);
  });

  it("takes events of any shape", () => {
    const strange = [
      event("assistant.message", { toolRequests: [{}, 1, { arguments: "raw" }] }),
      event("tool.execution_complete", { result: 7 }),
      event("user.message", {}),
      JSON.stringify({ type: "user.message", data: 1 }),
      JSON.stringify({ type: 1, data: {} }),
    ];
    const { entries } = readLines(copilotReader(), strange);
    expect(entries.map(({ type }) => type)).toEqual(["action", "observation", "user_message"]);
  });
});
