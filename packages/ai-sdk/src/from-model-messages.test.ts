import { modelMessageSchema } from "ai";
import type { ModelMessage } from "ai";
import { describe, expect, it } from "vitest";

import { modelPage } from "../test-support/pages/model-page.ts";
import { fromModelMessages, toModelMessages } from "./model-messages.ts";

const page = as(modelPage);

describe("fromModelMessages", () => {
  it("reads each message as the entries it is", () => {
    expect(page.map((message) => typesOf([message]))).toEqual([
      ["system_message"],
      ["user_message"],
      ["user_message"],
      ["assistant_message"],
      ["action"],
      Array.from({ length: 4 }, () => "observation"),
      Array.from({ length: 10 }, () => "observation"),
      ["assistant_message", "summary", "summary", "action"],
      ["observation"],
      ["system_message"],
      ["user_message"],
      ["user_message"],
      ["assistant_message"],
      ["assistant_message"],
      ["assistant_message"],
      ["assistant_message"],
      ["action"],
      ["observation"],
      ["observation", "observation", "assistant_message"],
      ["action"],
      ["observation"],
      ["assistant_message"],
    ]);
  });

  it("knows images and files of each source", () => {
    const [message] = fromModelMessages(page.slice(2, 3));
    const data = { kind: "data", base64: "iVBORwD/" };

    expect(message?.content).toMatchObject([
      { type: "text", text: "With these, please." },
      { type: "image", source: { kind: "data", base64: "iVBORw0KGgo=" } },
      { type: "image", source: { kind: "url", url: "https://example.com/a.png" } },
      { type: "image", source: { kind: "data", base64: "iVBORw0KGgo=" } },
      { type: "image", source: { kind: "url", url: "https://example.com/b.png" } },
      { type: "image", source: data, mediaType: "image/png" },
      { type: "image", source: data },
      { type: "image", source: { kind: "id", id: "file-1" } },
      { type: "image", source: { kind: "data", base64: "iVBORw0KGgo=" }, mediaType: "image/png" },
      { type: "image", source: data, mediaType: "image" },
      { type: "file", source: { kind: "url", url: "https://example.com/c.pdf" }, name: "c.pdf" },
      { type: "file", source: { kind: "url", url: "gs://b/%20" } },
      { type: "file", source: { kind: "id", id: "file_2" } },
      { type: "opaque" },
      { type: "file", source: { kind: "text", text: "Plain words of a file." } },
      { type: "file", source: data, mediaType: "audio/wav" },
      { type: "file", source: { kind: "data", base64: "UklGRg==" } },
      { type: "file", source: { kind: "url", url: "https://example.com/d.wav" } },
      { type: "file", source: data, mediaType: "text/plain" },
      { type: "file", source: { kind: "id", id: "files/4" } },
    ]);
  });

  it("keeps what the provider ran at once in the answer, and asks for approvals by calls", () => {
    const [action] = fromModelMessages(page.slice(4, 5));

    expect(action).toMatchObject({
      content: [
        { type: "reasoning", text: "I should look first.", data: { providerOptions: {} } },
        { type: "reasoning", text: "" },
        { type: "reasoning", text: "", data: { type: "reasoning-file" } },
        { type: "text", text: "I look it up." },
        { type: "opaque", data: { type: "tool-call", toolCallId: "s1" } },
        { type: "opaque", data: { type: "tool-result", toolCallId: "s1" } },
        { type: "opaque", data: { type: "custom", kind: "openai.mcp-list" } },
        { type: "image", mediaType: "image/png" },
      ],
      toolCalls: [
        { id: "c1", name: "read", arguments: '{"path":"a.md"}' },
        { id: "c2", name: "remove", arguments: '{"all":true}' },
        { id: "a2", name: "remove", kind: "approval" },
        { id: "c3", name: "send", arguments: "{}" },
        { id: "a3", name: "send", kind: "approval" },
        { id: "m4", name: "mcp.pay" },
        { id: "a4", name: "mcp.pay", kind: "approval" },
        { id: "a5", name: "unknown_tool", kind: "approval" },
      ],
    });
  });

  it("knows how each call and approval ended", () => {
    const results = fromModelMessages(page.slice(4, 7)).slice(1);

    expect(results).toMatchObject([
      { callId: "a3", toolName: "send", outcome: "denied", content: "Do not send it." },
      { callId: "a2", toolName: "remove", outcome: "success", content: "" },
      { callId: "a4", toolName: "mcp.pay", outcome: "success", content: "" },
      { callId: "c1", toolName: "read", outcome: "success", content: "Words of the file." },
      { callId: "c3", outcome: "denied", content: "Denied by the user." },
      { callId: "c2", outcome: "denied", content: "" },
      { outcome: "success", content: '{"removed":2,"names":["first name"]}' },
      { outcome: "success", content: '"a JSON text"' },
      { outcome: "success", content: "null" },
      { outcome: "error", content: "It went wrong." },
      { outcome: "error", content: '{"code":5}' },
      { outcome: "success", content: "" },
      { outcome: "success", content: [] },
      { outcome: "success" },
    ]);
  });

  it("knows the files in a tool's output, those of old kinds too", () => {
    const output = fromModelMessages(page.slice(6, 7)).at(-1);

    expect(output?.content).toMatchObject([
      { type: "text", text: "A text of it." },
      { type: "image", source: { kind: "url", url: "https://example.com/e.png" } },
      { type: "file", source: { kind: "text", text: "a row, a row" } },
      { type: "file", source: { kind: "data", base64: "JVBERi0=" }, name: "f.pdf" },
      { type: "file", source: { kind: "url", url: "https://example.com/g.pdf" } },
      { type: "file", source: { kind: "id", id: "file-5" } },
      { type: "file", source: { kind: "id", id: "file-6" } },
      { type: "opaque" },
      { type: "file", source: { kind: "id", id: "file-8" } },
      { type: "image", source: { kind: "data", base64: "iVBORw0KGgo=" } },
      { type: "image", source: { kind: "url", url: "https://example.com/h.png" } },
      { type: "image", source: { kind: "id", id: "file-9" } },
      { type: "image", source: { kind: "id", id: "file-10" } },
      { type: "opaque", data: { type: "custom" } },
    ]);
  });

  it("keeps a call that is answered in its own message in the answer", () => {
    const call = { type: "tool-call", toolCallId: "c1", toolName: "read", input: {} };
    const result = { ...call, type: "tool-result", output: { type: "text", value: "Read." } };

    expect(fromModelMessages(as([{ role: "assistant", content: [call, result] }]))).toMatchObject([
      {
        type: "assistant_message",
        content: [
          { type: "opaque", data: call },
          { type: "opaque", data: result },
        ],
      },
    ]);
  });

  it("carries an output of no known kind as the opaque content of its result", () => {
    const output = { type: "xml", value: "An output of tomorrow." };
    const result = { type: "tool-result", toolCallId: "c1", toolName: "read", output };

    expect(fromModelMessages(as([{ role: "tool", content: [result] }]))).toMatchObject([
      { type: "observation", callId: "c1", content: [{ type: "opaque", data: output }] },
    ]);
  });

  it.each(page.map((message, index) => [index, message] as const))(
    "knows a page whose message %i the SDK takes",
    (_, message) => {
      expect(modelMessageSchema.safeParse(message).error).toBeUndefined();
    },
  );

  it("gives an entry another id where its message was changed", () => {
    const idOf = (content: string): unknown =>
      fromModelMessages([{ role: "user", content }])[0]?.id;

    expect(idOf("One.")).toBe(idOf("One."));
    expect(idOf("One.")).not.toBe(idOf("Two."));
  });

  it("gives the entries turn, agent, ids and times that it is handed", () => {
    let count = 0;
    const newId = (): string => `e${(count += 1)}`;
    const agent = { id: "w1", role: "worker" } as const;
    const said = [{ role: "user" as const, content: "Hi." }];

    expect(fromModelMessages(said, { newId, now: () => 5, turnId: "t1", agent })).toEqual([
      {
        type: "user_message",
        content: "Hi.",
        id: "e1",
        createdAtMs: 5,
        turnId: "t1",
        agent,
        origin: { format: "ai-sdk", message: "e1", index: 0 },
      },
    ]);
  });
});

/** What the SDK allows, and what it does not: the types of a page are looked at by the SDK itself. */
function as(messages: readonly object[]): ModelMessage[] {
  return messages as ModelMessage[];
}

function typesOf(messages: readonly ModelMessage[]): readonly string[] {
  return fromModelMessages(messages).map((entry) => entry.type);
}

describe("fromModelMessages with instructions", () => {
  const messages = [{ role: "user" as const, content: "Hello." }];

  it.each([
    ["a text", "You book flights."],
    ["a system message", { role: "system" as const, content: "You book flights." }],
    ["several", [{ role: "system" as const, content: "You book flights." }]],
  ])("reads %s as system messages, which toModelMessages leaves to the call", (_, instructions) => {
    const entries = fromModelMessages(messages, { instructions });

    expect(entries).toMatchObject([
      { type: "system_message", content: "You book flights." },
      { type: "user_message", content: "Hello." },
    ]);
    expect(toModelMessages(entries)).toEqual(messages);
    const ids = entries.map(({ id }) => id);
    expect(fromModelMessages(messages, { instructions }).map(({ id }) => id)).toEqual(ids);
  });
});
