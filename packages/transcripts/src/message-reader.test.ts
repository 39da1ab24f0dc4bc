import { checkHistory } from "@agent-history/core/check";
import { describe, expect, it } from "vitest";

import { readLines } from "../test-support/read-lines.ts";
import { messageReader } from "./message-reader.ts";
import type { MessageFormat } from "./message-reader.ts";
import { documentLines, transcriptFormat } from "./transcript-format.ts";

const asked = { role: "user", content: "Run the tests." };
const ended = { role: "assistant", content: "One is red." };

/** The same conversation in each format. */
const CHATS: Readonly<Record<Exclude<MessageFormat, "entries">, readonly object[]>> = {
  chat: [
    { role: "system", content: "You are a CLI." },
    asked,
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: "c1", type: "function", function: { name: "bash", arguments: '{"command":"ls"}' } },
      ],
    },
    { role: "tool", tool_call_id: "c1", content: "a.ts" },
    ended,
  ],
  responses: [
    { type: "message", role: "system", content: "You are a CLI." },
    { type: "message", ...asked },
    { type: "function_call", call_id: "c1", name: "bash", arguments: '{"command":"ls"}' },
    { type: "function_call_output", call_id: "c1", output: "a.ts" },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: ended.content }] },
  ],
  anthropic: [
    { role: "system", content: "You are a CLI." },
    asked,
    {
      role: "assistant",
      content: [{ type: "tool_use", id: "c1", name: "bash", input: { command: "ls" } }],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "a.ts" }] },
    ended,
  ],
  "ai-sdk": [
    { role: "system", content: "You are a CLI." },
    asked,
    {
      role: "assistant",
      content: [
        { type: "tool-call", toolCallId: "c1", toolName: "bash", input: { command: "ls" } },
      ],
    },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "c1",
          toolName: "bash",
          output: { type: "text", value: "a.ts" },
        },
      ],
    },
    ended,
  ],
};
const TYPES = ["system_message", "user_message", "action", "observation", "assistant_message"];

const formats: readonly Exclude<MessageFormat, "entries">[] = [
  "chat",
  "responses",
  "anthropic",
  "ai-sdk",
];
const linesOf = (messages: readonly object[]): readonly string[] =>
  messages.map((message) => JSON.stringify(message));

describe.each(formats)("messages of %s", (format) => {
  const messages = CHATS[format];

  it("are told from others and read, each on a line", () => {
    const lines = linesOf(messages);
    expect(transcriptFormat(lines)).toBe(format);
    const { entries } = readLines(messageReader(format), lines);

    expect(entries.map(({ type }) => type)).toEqual(TYPES);
    expect(entries[3]).toMatchObject({ callId: "c1", toolName: "bash" });
    expect(entries.map(({ turnId }) => turnId)).toEqual([
      undefined,
      ...Array.from({ length: 4 }, () => "turn-1"),
    ]);
    expect(checkHistory(entries)).toEqual([]);
  });

  it("are read from a request", () => {
    const list = format === "responses" ? "input" : "messages";
    const body = {
      ...(format === "responses"
        ? { instructions: "You are a CLI." }
        : { system: "You are a CLI." }),
      [list]: messages.slice(1),
    };
    const lines = documentLines(JSON.stringify(body, undefined, 2));
    expect(transcriptFormat(lines)).toBe(format);
    const { entries } = readLines(messageReader(format), lines);
    expect(entries.map(({ type }) => type)).toEqual(TYPES);
  });
});

it("reads stored UI messages of the AI SDK, step by step", () => {
  const message = {
    id: "m2",
    role: "assistant",
    parts: [
      { type: "step-start" },
      { type: "text", text: "I run them." },
      {
        type: "tool-bash",
        toolCallId: "c1",
        state: "output-available",
        input: { command: "ls" },
        output: { files: ["a.ts"] },
      },
      {
        type: "dynamic-tool",
        toolName: "look",
        toolCallId: "c2",
        state: "output-error",
        errorText: "no",
      },
      { type: "step-start" },
      { type: "text", text: "Done." },
    ],
  };
  const lines = linesOf([
    { id: "m1", role: "user", parts: [{ type: "text", text: "Run the tests." }] },
    message,
  ]);
  expect(transcriptFormat(lines)).toBe("ai-sdk");
  const { entries } = readLines(messageReader("ai-sdk"), lines);

  expect(entries.map(({ type, content }) => [type, content])).toEqual([
    ["user_message", "Run the tests."],
    ["action", "I run them."],
    ["observation", '{"files":["a.ts"]}'],
    ["observation", "no"],
    ["assistant_message", "Done."],
  ]);
  expect(entries.slice(2, 4)).toMatchObject([
    { toolName: "bash", outcome: "success" },
    { toolName: "look", outcome: "error" },
  ]);
  expect(checkHistory(entries)).toEqual([]);
});

it("gives our own entries back as they are", () => {
  const { entries } = readLines(messageReader("chat"), linesOf(CHATS.chat));
  const lines = linesOf(entries);
  expect(transcriptFormat(lines)).toBe("entries");
  expect(readLines(messageReader("entries"), lines).entries).toEqual(entries);
});

it("takes plain texts under a role for a chat", () => {
  expect(transcriptFormat(linesOf([asked, ended]))).toBe("chat");
  expect(transcriptFormat(['{"a":1}'])).toBeUndefined();
});
