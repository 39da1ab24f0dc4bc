import {
  action,
  attachment,
  errorEntry,
  final,
  globalObservation,
  observation,
  summary,
  task,
  userMessage,
} from "@agent-history/core";
import type { Agent, HistoryEntry } from "@agent-history/core";
import type OpenAI from "openai";
import { describe, expect, expectTypeOf, it } from "vitest";

import { fromChatMessages } from "./from-chat-messages.ts";
import { toChatMessages } from "./to-chat-messages.ts";

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
    ]);
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
});

function call(id: string): object {
  return { id, type: "function", function: { name: "read", arguments: "{}" } };
}
