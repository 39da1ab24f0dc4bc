import { checkHistory } from "@agent-history/core/check";
import { expect, it } from "vitest";

import { readLines } from "../test-support/read-lines.ts";
import { atifReader } from "./atif-reader.ts";

const steps = [
  { step_id: 1, source: "system", message: "You fix bugs." },
  { step_id: 2, source: "user", message: "Fix it.", timestamp: "2026-01-05T09:00:00Z" },
  {
    step_id: 3,
    source: "agent",
    message: "",
    tool_calls: [{ tool_call_id: "c1", function_name: "bash", arguments: { command: "ls" } }],
    observation: { results: [{ source_call_id: "c1", content: "a.ts" }] },
    metrics: { prompt_tokens: 100, cached_tokens: 60, completion_tokens: 7 },
  },
  { step_id: 4, source: "agent", message: [{ type: "text", text: "Done." }] },
];
const head = {
  schema_version: "ATIF-v1.4",
  session_id: "t1",
  agent: { name: "mini", version: "2.0", model_name: "gpt-5" },
};

it("reads a trajectory, whole or step by step, the same", () => {
  const whole = readLines(atifReader(), [JSON.stringify({ ...head, steps })]);
  const lines = [head, ...steps].map((one) => JSON.stringify(one));
  const split = readLines(atifReader(), lines);

  for (const { entries, calls, facts } of [whole, split]) {
    expect(entries.map(({ type, content }) => [type, content])).toEqual([
      ["system_message", "You fix bugs."],
      ["user_message", "Fix it."],
      ["action", undefined],
      ["observation", "a.ts"],
      ["assistant_message", "Done."],
    ]);
    expect(entries[3]).toMatchObject({ toolName: "bash", callId: "c1" });
    expect(calls).toMatchObject([
      {
        model: "gpt-5",
        usage: { inputTokens: 40, cacheReadTokens: 60, outputTokens: 7 },
      },
    ]);
    expect(facts).toEqual({ sessionId: "t1" });
    expect(checkHistory(entries)).toEqual([]);
  }
});

it("takes steps of any shape", () => {
  const strange = [
    { source: "agent", tool_calls: [{}], observation: { results: [{}] } },
    { source: 1 },
    {},
  ];
  const { entries } = readLines(atifReader(), [JSON.stringify({ ...head, steps: strange })]);
  expect(entries.map(({ type }) => type)).toEqual(["action", "observation"]);
});
