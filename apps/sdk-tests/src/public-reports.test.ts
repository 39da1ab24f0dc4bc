import type { JsonObject } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { senders } from "../test-support/senders.ts";
import { signAlone } from "./servers/anthropic-signatures.ts";

// Situations of public reports in which a session answered 400 for ever after. Each kind is generated in broken-histories.test.ts.

const user = (content: string): JsonObject => ({ role: "user", content });
const reasoning = (id: string): JsonObject => ({
  type: "reasoning",
  id,
  summary: [],
  encrypted_content: "RQ==",
});
const made = { type: "function_call", id: "fc_1", call_id: "c1", name: "f", arguments: "{}" };
const output = { type: "function_call_output", call_id: "c1", output: "The result." };
const said = (text: string): JsonObject => ({
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations: [] }],
});
const turn = [reasoning("rs_1"), made, output];

const thinking = (signature?: string): JsonObject => ({
  type: "thinking",
  thinking: "partial",
  ...(signature !== undefined && { signature }),
});
const signed = thinking(signAlone("partial"));
const text = { type: "text", text: "ok" };
const answered = (...content: readonly JsonObject[]): readonly JsonObject[] => [
  user("x"),
  { role: "assistant", content },
  user("go on"),
];
const calling = (id: string, result: JsonObject): readonly JsonObject[] => [
  user("x"),
  { role: "assistant", content: [{ type: "tool_use", id, name: "r", input: {} }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: id, ...result }] },
];
const chat = (message: JsonObject): readonly JsonObject[] => [
  user("a"),
  { role: "assistant", ...message },
  user("b"),
];
const call = (name: string): JsonObject => {
  return { id: "", type: "function", function: { name, arguments: "{}" } };
};

/** By what sends, what happened, the messages, and texts that must be sent. */
const reports: readonly (readonly [string, string, readonly JsonObject[], ...string[]])[] = [
  ["Responses", "reasoning before a question", [user("a"), reasoning("rs_1"), user("b")], "b"],
  [
    "Responses",
    "two reasoning items in a row",
    [user("a"), reasoning("rs_1"), reasoning("rs_2"), user("b")],
    "b",
  ],
  ["Responses", "reasoning at the end", [user("a"), reasoning("rs_1")], "a"],
  [
    "Responses",
    "reasoning behind a result",
    [user("a"), ...turn, reasoning("rs_2"), user("b")],
    "The result.",
  ],
  ["Responses", "a message twice", [user("a"), said("x"), said("x"), user("b")], "b"],
  ["Responses", "a turn twice", [user("a"), ...turn, ...turn, user("b")], "The result."],
  [
    "Responses",
    "two messages of one id",
    [user("a"), said("first"), user("b"), said("second"), user("c")],
    "first",
    "second",
  ],
  ["Responses", "half a surrogate pair", [user("abc\ud83d…")], "abc"],
  ["Anthropic", "thinking only", answered(signed), "go on"],
  ["Anthropic", "unsigned thinking only", answered(thinking()), "go on"],
  ["Anthropic", "thinking with an empty signature", answered(thinking(""), text), "ok"],
  [
    "Anthropic",
    "redacted thinking only",
    answered({ type: "redacted_thinking", data: "D" }),
    "go on",
  ],
  ["Anthropic", "text, then thinking", answered(text, signed), "ok"],
  [
    "Anthropic",
    "half a surrogate pair in an error",
    calling("a", { content: "abc\ud83d…", is_error: true }),
    "abc",
  ],
  ["Anthropic", "an empty call id", calling("", { content: "the real result" }), "the real result"],
  ["chat", "no calls in the list", chat({ content: "hi", tool_calls: [] }), "hi"],
  ["chat", "content null", chat({ content: null }), "b"],
  ["chat", "null beside reasoning", chat({ content: null, reasoning_content: "hm" }), "b"],
  ["chat", "content with no part", chat({ content: [] }), "b"],
  ["chat", "half a surrogate pair", [user("abc\ud83d…")], "abc"],
  [
    "chat",
    "two calls with empty ids",
    [
      user("a"),
      { role: "assistant", content: null, tool_calls: [call("f"), call("g")] },
      { role: "tool", tool_call_id: "", content: "the first" },
      { role: "tool", tool_call_id: "", content: "the second" },
    ],
    "the first",
    "the second",
  ],
];

describe("a session of a public report", () => {
  const named = reports.map(([name, what, messages, ...texts]) => ({
    name,
    what,
    messages,
    texts,
  }));

  it.each(named)("goes on through $name with $what", async ({ name, messages, texts }) => {
    const sender = senders.find((one) => one.name.startsWith(name));
    const fitted = sender?.fit(messages, 100_000);
    const body = await sender?.send(fitted?.messages ?? []);
    expect(sender?.wire.problems(body ?? {})).toEqual([]);
    expect(sender?.wire.problems(await sender.send(messages))).not.toEqual([]);
    expect(fitted?.repairs.length).toBeGreaterThan(0);
    for (const one of texts) expect(JSON.stringify(body)).toContain(one);
  });
});
