import {
  action,
  attachment,
  errorEntry,
  final,
  findQuestion,
  globalObservation,
  observation,
  repairHistory,
  summary,
  task,
  userMessage,
} from "@agent-history/core";
import type { Agent, HistoryEntry, ToolCall } from "@agent-history/core";
import { tiktokenCounter } from "@agent-history/tokens";
import type OpenAI from "openai";
import { describe, expect, expectTypeOf, it } from "vitest";

import { chatProblems } from "../test-messages/chat/chat-problems.ts";
import { fromChatMessages } from "./chat-messages.ts";
import { toChatMessages } from "./chat-messages.ts";

const manager: Agent = { id: "m1", role: "manager" };
const worker: Agent = { id: "w1", role: "worker" };

describe("toChatMessages", () => {
  it("gives what the SDK takes, and takes what the SDK gives", () => {
    type Param = OpenAI.ChatCompletionMessageParam;
    expectTypeOf(toChatMessages).returns.toExtend<Param[]>();
    expectTypeOf<readonly Param[]>().toExtend<Parameters<typeof fromChatMessages>[0]>();
    expectTypeOf<OpenAI.ChatCompletionMessage[]>().toExtend<
      Parameters<typeof fromChatMessages>[0]
    >();
    expect(toChatMessages([])).toEqual([]);
  });

  it("reads each type as it is to the viewer", () => {
    const entries = [
      task({ content: "Look.", agent: worker, from: manager }),
      final({ content: "Found.", agent: worker }),
      errorEntry({ content: "Timed out." }),
      summary({ content: "Before.", strategy: "s", trust: "user" }),
      summary({ content: "Rules.", strategy: "s", trust: "system" }),
    ];
    const roles = (viewer?: { agentId: string }): string[] =>
      toChatMessages(entries, viewer).map(({ role }) => role);

    expect(roles({ agentId: "m1" })).toEqual(["assistant", "user", "user", "user", "system"]);
    expect(roles({ agentId: "w1" })).toEqual(["user", "assistant", "user", "user", "system"]);
    expect(roles()).toEqual(["user", "user", "user", "user", "system"]);
  });

  it("shows a user's message as it is rendered, and sources a blank line below their result", () => {
    const sources = [{ number: 3, id: "a", text: "Water boils." }];
    const found = { callId: "c1", toolName: "search", outcome: "success" } as const;
    const messages = toChatMessages([
      userMessage({ content: "{q}", rendered: "Does it boil?" }),
      action({ toolCalls: [{ id: "c1", name: "search", arguments: "{}" }] }),
      observation({ ...found, content: "One hit.", sources }),
      globalObservation({ content: "", sources }),
    ]);

    expect(messages).toEqual([
      { role: "user", content: "Does it boil?" },
      {
        role: "assistant",
        tool_calls: [{ id: "c1", type: "function", function: { name: "search", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c1", content: "One hit.\n\n[source3]\nWater boils." },
      { role: "user", content: "[source3]\nWater boils." },
    ]);
  });

  it("sends an attachment under its name, and images in user messages only", () => {
    const image = {
      type: "image",
      source: { kind: "url", url: "https://a.example/p.png" },
    } as const;
    const plan = { type: "file", source: { kind: "text", text: "Go." }, name: "plan.txt" } as const;
    const messages = toChatMessages([
      attachment({ messageId: "u1", name: "picture", content: [image, plan] }),
      observation({ callId: "c", toolName: "look", outcome: "success", content: [image] }),
    ]);

    expect(messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "picture" },
          { type: "image_url", image_url: { url: "https://a.example/p.png" } },
          { type: "text", text: "plan.txt" },
          { type: "text", text: "Go." },
        ],
      },
      { role: "tool", tool_call_id: "c", content: [{ type: "text", text: "[image]" }] },
      {
        role: "user",
        content: [
          { type: "text", text: "Shown by the result of look (call c):" },
          { type: "image_url", image_url: { url: "https://a.example/p.png" } },
        ],
      },
    ]);
  });

  it("shows images and files of results after all results of their turn, and counts them so", () => {
    const image = { type: "image", source: { kind: "data", base64: "AAAA" } } as const;
    const file = { type: "file", source: { kind: "id", id: "file-1" }, name: "a.pdf" } as const;
    const fields = { toolName: "look", outcome: "success" } as const;
    const entries = [
      userMessage({ id: "u1", content: "What is on them?" }),
      action({ id: "a1", toolCalls: ["c1", "c2", "c3"].map((id) => toolCall(id)) }),
      observation({ ...fields, callId: "c1", content: [{ type: "text", text: "One." }, image] }),
      observation({ ...fields, callId: "c2", content: "Nothing." }),
      observation({ ...fields, callId: "c3", content: [file, image] }),
      errorEntry({ content: "Go on." }),
    ];
    const messages = toChatMessages(entries);
    const again = fromChatMessages(messages);

    expect(messages.map(({ role }) => role).join(" ")).toBe(
      "user assistant tool tool tool user user user",
    );
    expect(messages.slice(5)).toMatchObject([
      { content: [{ text: "Shown by the result of look (call c1):" }, { type: "image_url" }] },
      {
        content: [
          { text: "Shown by the result of look (call c3):" },
          { type: "file" },
          { type: "image_url" },
        ],
      },
      { content: "Go on." },
    ]);
    expect(chatProblems(messages)).toEqual([]);
    // They are no request, and come back as they were.
    expect(findQuestion(again.slice(0, -1))).toMatchObject({ content: "What is on them?" });
    expect(toChatMessages(again)).toEqual(messages);
    // The name of a file in a result is a line of its own there.
    expect(tokensOf(again)).toBeLessThanOrEqual(tokensOf(entries));
    const image1 = entries.slice(0, 3);
    expect(tokensOf(fromChatMessages(toChatMessages(image1)))).toBe(tokensOf(image1));
  });

  it("shows what an entry says now, not what it said when it came", () => {
    const chat = [
      { role: "assistant", content: null, tool_calls: [call("c1")] },
      { role: "tool", tool_call_id: "c1", content: null },
      {
        role: "tool",
        tool_call_id: "c1",
        content: [{ type: "text", text: "Long." }],
        name: "read",
      },
    ];
    const now = fromChatMessages(chat).map((entry): HistoryEntry => ({
      ...entry,
      content: "Now.",
    }));

    expect(toChatMessages(now)).toEqual([
      { role: "assistant", content: "Now.", tool_calls: [call("c1")] },
      { role: "tool", tool_call_id: "c1", content: "Now." },
      { role: "tool", tool_call_id: "c1", content: "Now.", name: "read" },
    ]);
  });

  it("leaves out reasoning and what only another format understands", () => {
    const entry = action({
      content: [
        { type: "reasoning", text: "Hm.", data: { signature: "x" } },
        { type: "opaque", data: { type: "other" } },
      ],
      toolCalls: [{ id: "c1", name: "read", arguments: "{}", extra: { fields: { id: "y" } } }],
    });

    expect(toChatMessages([entry])).toEqual([{ role: "assistant", tool_calls: [call("c1")] }]);
  });

  it("answers the call of an old message as it was asked, a lost result too", () => {
    const legacy = { name: "find", arguments: '{"to":"Rome"}' };
    const asked = [
      { role: "user", content: "To Rome." },
      { role: "assistant", content: null, function_call: legacy },
    ];
    const answered = [...asked, { role: "function", name: "find", content: "Two flights." }];
    const next = { role: "user", content: "Quickly!" };

    expect(toChatMessages(fromChatMessages(answered))).toEqual(answered);
    const repaired = repairHistory(fromChatMessages([...asked, next])).entries;
    expect(toChatMessages(repaired)).toEqual([
      ...asked,
      { role: "function", name: "find", content: expect.any(String) },
      next,
    ]);
  });
});

const counter = tiktokenCounter({ encoding: "o200k_base" });

function tokensOf(entries: readonly HistoryEntry[]): number {
  return entries.reduce((sum, entry) => sum + counter.countEntry(entry), 0);
}

function toolCall(id: string): ToolCall {
  return { id, name: "look", arguments: "{}" };
}

function call(id: string): object {
  return { id, type: "function", function: { name: "read", arguments: "{}" } };
}
