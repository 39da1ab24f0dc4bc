import { describe, expect, it, vi } from "vitest";

import { fromChatMessages } from "./chat-messages.ts";
import { toChatMessages } from "./chat-messages.ts";

const calls = [
  { id: "c1", type: "function", function: { name: "search", arguments: '{"q": "a"}' } },
  { id: "c2", type: "custom", custom: { name: "python", input: "print(1)" } },
];

describe("fromChatMessages", () => {
  it("reads each role as the entry it is", () => {
    const entries = fromChatMessages([
      { role: "developer", content: "Be brief." },
      { role: "user", content: "Hi.", name: "ada" },
      { role: "assistant", content: null, tool_calls: calls },
      { role: "tool", tool_call_id: "c2", content: "1" },
      { role: "tool", tool_call_id: "c1", content: "None." },
      { role: "assistant", content: "Hello.", refusal: null },
      { role: "critic", content: "A role of tomorrow." },
    ]);

    expect(entries).toMatchObject([
      { type: "system_message", content: "Be brief." },
      { type: "user_message", content: "Hi." },
      {
        type: "action",
        toolCalls: [
          { id: "c1", name: "search", arguments: '{"q": "a"}' },
          { id: "c2", name: "python", arguments: "print(1)", kind: "custom" },
        ],
      },
      { type: "observation", callId: "c2", toolName: "python", content: "1" },
      { type: "observation", callId: "c1", toolName: "search", content: "None." },
      { type: "assistant_message", content: "Hello." },
      { type: "assistant_message", content: [{ type: "opaque" }] },
    ]);
  });

  it("names the tool of each result where an id is used again", () => {
    const again = [{ id: "c1", type: "function", function: { name: "read", arguments: "" } }];
    const entries = fromChatMessages([
      { role: "assistant", tool_calls: calls },
      { role: "tool", tool_call_id: "c1", content: "" },
      { role: "assistant", tool_calls: again },
      { role: "tool", tool_call_id: "c1", content: "" },
    ]);

    expect([entries[1], entries[3]]).toMatchObject([{ toolName: "search" }, { toolName: "read" }]);
  });

  it("gives calls without an id one of their own, and their results the same, in order", () => {
    const read = { type: "function", function: { name: "read", arguments: "" } };
    const write = { type: "function", function: { name: "write", arguments: "" } };
    const entries = fromChatMessages([
      { role: "assistant", tool_calls: [read, write] },
      { role: "tool", content: "For reading." },
      { role: "tool", content: "For writing." },
    ]);

    expect(entries).toMatchObject([
      { toolCalls: [{ id: "call_0_0" }, { id: "call_0_1" }] },
      { toolName: "read", callId: "call_0_0" },
      { toolName: "write", callId: "call_0_1" },
    ]);
  });

  it("carries a call of an unknown kind, and knows those beside it", () => {
    const unknown = { id: "m", type: "mcp", mcp: {} };
    const chat = [{ role: "assistant", content: "Wait.", tool_calls: [unknown, ...calls] }];
    const entries = fromChatMessages(chat);

    expect(entries).toMatchObject([{ type: "action", toolCalls: [{ id: "c1" }, { id: "c2" }] }]);
    expect(toChatMessages(entries)).toEqual(chat);
  });

  it("reads parts that bear unknown fields, or stand beside unknown parts, as what they are", () => {
    const content = [
      { type: "text", text: "Look.", cache_control: { type: "ephemeral" } },
      { type: "image_url", image_url: { url: "https://a.example/p.png", detail: "ultra" } },
      { type: "video_url", video_url: { url: "https://a.example/v.mp4" } },
    ];
    const chat = [{ role: "user", content, priority: 3 }];
    const entries = fromChatMessages(chat);

    expect(entries).toMatchObject([
      {
        type: "user_message",
        content: [
          { type: "text", text: "Look." },
          { type: "image", source: { kind: "url", url: "https://a.example/p.png" } },
          { type: "opaque" },
        ],
      },
    ]);
    expect(toChatMessages(entries)).toEqual(chat);
  });

  it("carries a message whole whose content is neither text nor parts", () => {
    const chat = [{ role: "user", content: { text: "An object." } }];
    const entries = fromChatMessages(chat);

    expect(entries).toMatchObject([{ content: [{ type: "opaque", data: chat[0] }] }]);
    expect(toChatMessages(entries)).toEqual(chat);
  });

  it("gives a changed message another id, and its neighbors the same", () => {
    const before = fromChatMessages([system("Monday."), system("Be brief.")]);
    const after = fromChatMessages([system("Tuesday."), system("Be brief.")]);

    expect(after[0]?.id).not.toBe(before[0]?.id);
    expect(after[1]?.id).toBe(before[1]?.id);
  });

  it("gives messages that say the same, at two places, two ids", () => {
    const [one, other] = fromChatMessages([system("Be brief."), system("Be brief.")]);

    expect(one?.id).not.toBe(other?.id);
  });

  it("reads a message anew that was changed in place", () => {
    const message = { role: "user", content: "One." };
    fromChatMessages([message]);
    message.content = "Two.";

    expect(toChatMessages(fromChatMessages([message]))).toEqual([
      { role: "user", content: "Two." },
    ]);
  });

  it("takes ids, time, turn and agent from the caller", () => {
    const agent = { id: "a", role: "worker" } as const;
    const options = { newId: () => "e1", now: () => 7, turnId: "t", agent };

    expect(fromChatMessages([system("Be brief.")], options)).toEqual([
      {
        type: "system_message",
        content: "Be brief.",
        id: "e1",
        createdAtMs: 7,
        turnId: "t",
        agent,
        origin: { format: "openai-chat", message: "e1", index: 0 },
      },
    ]);
  });

  it("takes the clock's time where no other is given", () => {
    vi.useFakeTimers({ now: 7 });
    const [entry] = fromChatMessages([system("Be brief.")]);
    vi.useRealTimers();

    expect(entry?.createdAtMs).toBe(7);
  });

  it("leaves out what JSON does not keep", () => {
    const [entry] = fromChatMessages([{ role: "user", content: "Hi.", name: undefined }]);

    expect(toChatMessages(entry === undefined ? [] : [entry])).toStrictEqual([
      { role: "user", content: "Hi." },
    ]);
  });
});

function system(content: string): { readonly role: "system"; readonly content: string } {
  return { role: "system", content };
}
