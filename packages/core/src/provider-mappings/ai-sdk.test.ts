import { describe, expect, it } from "vitest";

import { aiSdkToEntries } from "../../test-mappings/ai-sdk-to-entries.ts";
import { anthropicToEntries } from "../../test-mappings/anthropic-to-entries.ts";
import { entriesToAiSdk } from "../../test-mappings/entries-to-ai-sdk.ts";
import { withContent, withoutOrigin } from "../../test-mappings/internal/what-is-said.ts";
import { mappingSuite } from "../../test-mappings/mapping-suite.ts";
import { openAIChatToEntries } from "../../test-mappings/openai-chat-to-entries.ts";
import { aiSdkPage } from "../../test-mappings/pages/ai-sdk-page.ts";
import { aiSdkStrangePage } from "../../test-mappings/pages/ai-sdk-strange-page.ts";

describe("aiSdkToEntries", () => {
  mappingSuite({
    toEntries: aiSdkToEntries,
    toMessages: entriesToAiSdk,
    page: aiSdkPage,
    strangePage: aiSdkStrangePage,
    fromOpenAIChat: (messages) => entriesToAiSdk(withoutOrigin(openAIChatToEntries(messages))),
  });

  it("reads each message as the entries it is", () => {
    expect(aiSdkPage.map((message) => typesOf([message]))).toEqual([
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
    ]);
  });

  it("knows images and files of each source", () => {
    const [message] = aiSdkToEntries(aiSdkPage.slice(2, 3));
    const data = { kind: "data", base64: "iVBORwD/" };

    expect(message?.content).toMatchObject([
      { type: "text", text: "With these, please." },
      { type: "image", source: { kind: "data", base64: "iVBORw0KGgo=" } },
      { type: "image", source: { kind: "url", url: "https://example.com/a.png" } },
      { type: "image", source: { kind: "url", url: "data:image/png;base64,iVBORw0KGgo=" } },
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

  it("keeps what the provider ran in the answer, and asks for approvals by calls", () => {
    const [action] = aiSdkToEntries(aiSdkPage.slice(4, 5));

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
        { type: "opaque", data: { type: "tool-call", toolCallId: "m4" } },
      ],
      toolCalls: [
        { id: "c1", name: "read", arguments: '{"path":"a.md"}' },
        { id: "c2", name: "remove", arguments: '{"all":true}' },
        { id: "a2", name: "remove", kind: "approval" },
        { id: "c3", name: "send", arguments: "{}" },
        { id: "a3", name: "send", kind: "approval" },
        { id: "a4", name: "mcp.pay", kind: "approval" },
        { id: "a5", name: "unknown_tool", kind: "approval" },
      ],
    });
  });

  it("knows how each call and approval ended", () => {
    const results = aiSdkToEntries(aiSdkPage.slice(4, 7)).slice(1);

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
    const output = aiSdkToEntries(aiSdkPage.slice(6, 7)).at(-1);

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

    expect(aiSdkToEntries([{ role: "assistant", content: [call, result] }])).toMatchObject([
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

    expect(aiSdkToEntries([{ role: "tool", content: [result] }])).toMatchObject([
      { type: "observation", callId: "c1", content: [{ type: "opaque", data: output }] },
    ]);
  });
});

describe("entriesToAiSdk", () => {
  it("writes JSON that was shrunk to text as text", () => {
    const output = { type: "json", value: { rows: [1, 2, 3] } };
    const entries = aiSdkToEntries([
      { role: "tool", content: [{ type: "tool-result", toolCallId: "c", toolName: "t", output }] },
    ]);
    const shrunk = (text: string): readonly object[] =>
      entriesToAiSdk(entries.map((entry) => withContent(entry, text)));

    expect(shrunk('{"rows":[1]}')).toMatchObject([
      { content: [{ output: { type: "json", value: { rows: [1] } } }] },
    ]);
    expect(shrunk('{"rows":[1 … ')).toMatchObject([
      { content: [{ output: { type: "text", value: '{"rows":[1 … ' } }] },
    ]);
  });

  it("writes messages of another format without what only that format understands", () => {
    const entries = anthropicToEntries([
      { role: "system", content: [{ type: "text", text: "You read." }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hidden.", signature: "s" },
          { type: "server_tool_use", id: "s1", name: "web_search", input: {} },
          { type: "text", text: "Shown.", cache_control: { type: "ephemeral" } },
          { type: "tool_use", id: "t1", name: "read", input: { a: 1 } },
        ],
      },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "t1", is_error: true, content: "No file." }],
      },
    ]);

    expect(entriesToAiSdk(entries)).toEqual([
      { role: "system", content: "You read." },
      {
        role: "assistant",
        content: [
          { type: "text", text: "Shown." },
          { type: "tool-call", toolCallId: "t1", toolName: "read", input: { a: 1 } },
        ],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "t1",
            toolName: "read",
            output: { type: "error-text", value: "No file." },
          },
        ],
      },
    ]);
  });

  it("keeps arguments that are no JSON as their text", () => {
    const entries = openAIChatToEntries([
      {
        role: "assistant",
        tool_calls: ["", "{not closed"].map((text, index) => ({
          id: `c${index}`,
          type: "function",
          function: { name: "read", arguments: text },
        })),
      },
    ]);

    expect(entriesToAiSdk(entries)).toEqual([
      {
        role: "assistant",
        content: [
          { type: "tool-call", toolCallId: "c0", toolName: "read" },
          { type: "tool-call", toolCallId: "c1", toolName: "read", input: "{not closed" },
        ],
      },
    ]);
  });
});

function typesOf(messages: readonly object[]): readonly string[] {
  return aiSdkToEntries(messages).map((entry) => entry.type);
}
