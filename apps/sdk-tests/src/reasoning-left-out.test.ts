import { droppedReasoning, fromModelMessages, toModelMessages } from "@agent-history/ai-sdk";
import { fromAnthropicMessages, toAnthropicMessages } from "@agent-history/anthropic";
import type { HistoryEntry } from "@agent-history/core";
import { repairFor } from "@agent-history/format-kit";
import { fromMessages, toMessages } from "@agent-history/langchain";
import {
  chatTarget,
  fromChatMessages,
  fromResponseItems,
  toChatMessages,
  toResponseItems,
} from "@agent-history/openai";
import { editEntry } from "@agent-history/reducer";
import { describe, expect, it } from "vitest";

function lean(entries: readonly HistoryEntry[]): readonly HistoryEntry[] {
  return entries.map((entry) => editEntry(entry, { withoutReasoning: "prefix" }));
}

const user = { role: "user", content: "Read both." } as const;
const thinking = (name: string) => ({ type: "thinking", thinking: name, signature: `s-${name}` });
const text = (said: string) => ({ type: "text", text: said });

describe("an answer whose reasoning is left out", () => {
  it("keeps the order of all other blocks in Anthropic's messages", () => {
    const call = (id: string) => ({ type: "tool_use", id, name: "read", input: {} });
    const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "r" });
    const answers = [
      [thinking("a"), text("First."), call("1"), thinking("b"), text("Then."), call("2")],
      [thinking("a"), call("1"), text("Then."), call("2")],
      [
        thinking("a"),
        thinking("b"),
        text("First."),
        call("1"),
        call("2"),
        thinking("c"),
        text("!"),
      ],
    ];
    for (const content of answers) {
      const results = { role: "user", content: [result("1"), result("2")] };
      const entries = fromAnthropicMessages([user, { role: "assistant", content }, results]);
      const [, answer] = toAnthropicMessages(lean(entries));
      expect(answer).toEqual({
        role: "assistant",
        content: content.filter(({ type }) => type !== "thinking"),
      });
      expect(toAnthropicMessages(entries)[1]).toEqual({ role: "assistant", content });
    }
  });

  it("keeps a late result where it stood in Anthropic's messages", () => {
    const server = { type: "server_tool_use", id: "srvtoolu_1", name: "code_execution", input: {} };
    const content = [thinking("a"), server, { type: "tool_use", id: "1", name: "read", input: {} }];
    const late = { type: "code_execution_tool_result", tool_use_id: "srvtoolu_1", content: {} };
    const second = [thinking("b"), late, thinking("c"), text("Done.")];
    const messages = [
      user,
      { role: "assistant", content },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "1", content: "r" }] },
      { role: "assistant", content: second },
    ];
    const entries = fromAnthropicMessages(messages);
    expect(toAnthropicMessages(entries)).toEqual(messages);
    expect(toAnthropicMessages(lean(entries))[3]?.content).toEqual([late, text("Done.")]);
  });

  it("loses the ids of Responses items by which the server would ask for the reasoning", () => {
    const items = [
      user,
      {
        type: "reasoning",
        id: "rs_1",
        summary: [
          { type: "summary_text", text: "Hm." },
          { type: "summary_text", text: "So." },
        ],
      },
      {
        type: "message",
        id: "msg_1",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "First." }],
      },
      { type: "function_call", id: "fc_1", call_id: "c1", name: "read", arguments: "{}" },
      { type: "reasoning", id: "rs_2", summary: [] },
      { type: "function_call", id: "fc_2", call_id: "c2", name: "read", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: "r" },
      { type: "function_call_output", call_id: "c2", output: "r" },
    ];
    const entries = fromResponseItems(items);
    expect(toResponseItems(entries)).toEqual(items);
    expect(toResponseItems(lean(entries))).toEqual([
      user,
      {
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "First." }],
      },
      { type: "function_call", call_id: "c1", name: "read", arguments: "{}" },
      { type: "function_call", call_id: "c2", name: "read", arguments: "{}" },
      items[6],
      items[7],
    ]);
  });

  it.each([
    ["openrouter", "reasoning_details", { type: "reasoning.text", text: "Hm.", signature: "s" }],
    ["compatible", "thinking_blocks", { type: "thinking", thinking: "Hm.", signature: "s" }],
  ] as const)("has no signed field in the messages of a host: %s, %s", (signing, field, block) => {
    const answer = { role: "assistant", content: "First.", [field]: [block] };
    const entries = fromChatMessages([user, answer]);
    expect(toChatMessages(entries)).toEqual([user, answer]);
    expect(toChatMessages(lean(entries))).toEqual([user, { role: "assistant", content: "First." }]);
    const repaired = (host: "groq" | "openai" | "openrouter" | "compatible") =>
      toChatMessages(repairFor(chatTarget({ host }), entries).entries);
    expect(repaired(signing)[1]).toEqual(answer);
    expect(repaired("openai")[1]).not.toHaveProperty(field);
    expect(repaired("groq")[1]).not.toHaveProperty(field);
  });

  it("loses the ids of items, and nothing else, in the AI SDK's messages", () => {
    const item = (itemId: string) => ({ providerOptions: { openai: { itemId } } });
    const messages = [
      user,
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "Hm.", ...item("rs_1") },
          { type: "text", text: "First.", ...item("msg_1") },
          { type: "tool-call", toolCallId: "1", toolName: "read", input: {}, ...item("fc_1") },
          { type: "reasoning", text: "So.", ...item("rs_2") },
          { type: "text", text: "Then." },
          { type: "tool-call", toolCallId: "2", toolName: "read", input: {} },
        ],
      },
    ];
    const entries = fromModelMessages(messages as never);
    expect(toModelMessages(entries)).toEqual(messages);
    const none = { providerOptions: { openai: {} } };
    expect(toModelMessages(lean(entries))[1]?.content).toEqual([
      { type: "text", text: "First.", ...none },
      { type: "tool-call", toolCallId: "1", toolName: "read", input: {}, ...none },
      { type: "text", text: "Then." },
      { type: "tool-call", toolCallId: "2", toolName: "read", input: {} },
    ]);
  });

  it("keeps the order of all other blocks in LangChain's messages, and loses OpenAI's copy and ids", () => {
    const use = (id: string) => ({ type: "tool_use", id, name: "read", input: {} });
    const content = [
      thinking("a"),
      text("First."),
      use("1"),
      thinking("b"),
      text("Then."),
      use("2"),
    ];
    const calls = ["1", "2"].map((id) => ({ type: "tool_call", id, name: "read", args: {} }));
    const entries = fromMessages([user, { type: "ai", content, tool_calls: calls }]);
    expect(toMessages(lean(entries))[1]?.["content"]).toEqual(
      content.filter(({ type }) => type !== "thinking"),
    );
    const reasoning = { type: "reasoning", id: "rs_1", summary: [] };
    const called = {
      type: "function_call",
      id: "fc_1",
      call_id: "1",
      name: "read",
      arguments: "{}",
    };
    const answer = {
      type: "ai",
      id: "msg_1",
      content: [],
      tool_calls: calls.slice(0, 1),
      additional_kwargs: { reasoning, __openai_function_call_ids__: { "1": "fc_1" } },
      response_metadata: { id: "resp_1", output: [reasoning, called] },
    };
    const stored = fromMessages([user, answer]);
    expect(toMessages(stored)[1]).toEqual(answer);
    expect(toMessages(lean(stored))[1]).toEqual({
      type: "ai",
      content: "",
      tool_calls: calls.slice(0, 1),
      additional_kwargs: {},
      response_metadata: { id: "resp_1" },
    });
  });
});

describe("droppedReasoning", () => {
  it("reads what Anthropic, OpenAI and the AI SDK say of reasoning that they were sent", () => {
    const thinking_dropped = {
      type: "thinking_dropped",
      path: "messages.1.content.0",
      reason: "model_binding_mismatch",
    };
    const allowed = {
      ...thinking_dropped,
      type: "thinking_mismatch_allowed",
      reason: "prefix_binding_mismatch",
    };
    expect(droppedReasoning({ input_transformations: [thinking_dropped, allowed] })).toEqual([
      { place: "messages.1.content.0", reason: "model_binding_mismatch", isRead: false },
      { place: "messages.1.content.0", reason: "prefix_binding_mismatch", isRead: true },
    ]);
    const removed = { id: "rs_1", type: "reasoning", action: "removed", reason: "prefix_mismatch" };
    const said = [{ place: "rs_1", reason: "prefix_mismatch", isRead: false }];
    expect(droppedReasoning({ input_transformations: [removed] })).toEqual(said);
    expect(droppedReasoning({ inputTransformations: [removed, { type: "other" }] })).toEqual(said);
    expect(droppedReasoning({ id: "msg" })).toEqual([]);
  });
});
