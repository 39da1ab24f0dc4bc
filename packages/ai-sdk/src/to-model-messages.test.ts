import {
  action,
  attachment,
  errorEntry,
  final,
  globalObservation,
  observation,
  repairHistory,
  summary,
  systemMessage,
  task,
  userMessage,
} from "@agent-history/core";
import type { Agent, ContentPart, HistoryEntry } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { fromModelMessages, toModelMessages } from "./model-messages.ts";

const manager: Agent = { id: "m1", role: "manager" };
const worker: Agent = { id: "w1", role: "worker" };

describe("toModelMessages", () => {
  it("reads each type as it is to the viewer", () => {
    const entries = [
      task({ content: "Look.", agent: worker, from: manager }),
      final({ content: "Found.", agent: worker }),
      errorEntry({ content: "Timed out." }),
      summary({ content: "Before.", strategy: "s", trust: "user" }),
      summary({ content: "Rules.", strategy: "s", trust: "system" }),
    ];
    const roles = (viewer?: { agentId: string }): string[] =>
      toModelMessages(entries, viewer).map(({ role }) => role);

    expect(roles({ agentId: "m1" })).toEqual(["assistant", "user", "user", "user", "system"]);
    expect(roles({ agentId: "w1" })).toEqual(["user", "assistant", "user", "user", "system"]);
    expect(roles()).toEqual(["user", "user", "user", "user", "system"]);
  });

  it("shows a user's message as it is rendered, and sources a blank line below their result", () => {
    const sources = [{ number: 3, id: "a", text: "Water boils." }];
    const found = { callId: "c1", toolName: "search", outcome: "success" } as const;

    expect(
      toModelMessages([
        userMessage({ content: "{q}", rendered: "Does it boil?" }),
        action({ toolCalls: [{ id: "c1", name: "search", arguments: "{}" }] }),
        observation({ ...found, content: "One hit.", sources }),
        globalObservation({ content: "", sources }),
      ]),
    ).toEqual([
      { role: "user", content: "Does it boil?" },
      { role: "assistant", content: [{ type: "tool-call", ...named("search"), input: {} }] },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            ...named("search"),
            output: { type: "text", value: "One hit.\n\n[source3]\nWater boils." },
          },
        ],
      },
      { role: "user", content: "[source3]\nWater boils." },
    ]);
  });

  it("writes the results of one action as one message, each by how it ended", () => {
    const result = (callId: string, outcome: "success" | "error" | "denied" | "cancelled") =>
      observation({ callId, toolName: "read", outcome, content: "Said." });
    const [message, ...others] = toModelMessages([
      result("c1", "success"),
      result("c2", "error"),
      result("c3", "denied"),
      result("c4", "cancelled"),
    ]);

    expect(others).toEqual([]);
    expect(message?.content).toMatchObject([
      { toolCallId: "c1", output: { type: "text", value: "Said." } },
      { toolCallId: "c2", output: { type: "error-text", value: "Said." } },
      { toolCallId: "c3", output: { type: "execution-denied", reason: "Said." } },
      { toolCallId: "c4", output: { type: "error-text", value: "Said." } },
    ]);
  });

  it("sends images and files in user messages and results, and a line for them elsewhere", () => {
    const content: ContentPart[] = [
      { type: "image", source: { kind: "data", base64: "AA==" }, mediaType: "image/png" },
      { type: "file", source: { kind: "text", text: "Go." }, name: "plan.txt" },
      { type: "file", source: { kind: "id", id: "file-1" }, name: "at-openai.pdf" },
    ];
    const sent = [
      { type: "file", data: { type: "data", data: "AA==" }, mediaType: "image/png" },
      ...["plan.txt", "Go.", "at-openai.pdf", "[file]"].map(text),
    ];
    const lines = ["[image]", "plan.txt", "Go.", "at-openai.pdf", "[file]"];

    expect(
      toModelMessages([
        attachment({ messageId: "u1", name: "uploads", content }),
        final({ content }),
        systemMessage({ content }),
      ]),
    ).toEqual([
      { role: "user", content: [text("uploads"), ...sent] },
      { role: "assistant", content: lines.map(text) },
      { role: "system", content: lines.join("\n") },
    ]);
    const found = observation({ callId: "c", toolName: "look", outcome: "success", content });
    expect(toModelMessages([found])[0]?.content).toMatchObject([
      { output: { type: "content", value: sent } },
    ]);
  });

  it("leaves out what only another format understands, and an answer of nothing else", () => {
    const content: ContentPart[] = [
      { type: "reasoning", text: "Hm.", data: { signature: "x" } },
      { type: "opaque", data: { type: "other" } },
    ];
    const toolCalls = [{ id: "c1", name: "read", arguments: "{}", extra: { fields: { a: 1 } } }];

    expect(toModelMessages([final({ content }), action({ content, toolCalls })])).toEqual([
      { role: "assistant", content: [{ type: "tool-call", ...named("read"), input: {} }] },
    ]);
  });

  it("answers a request for an approval that nobody answered, and does not approve it", () => {
    const { entries } = repairHistory(
      fromModelMessages([
        {
          role: "assistant",
          content: [
            { type: "tool-call", ...named("pay"), input: {} },
            { type: "tool-approval-request", approvalId: "a1", toolCallId: "c1" },
          ],
        },
        { role: "user", content: "Never mind." },
      ]),
    );
    const lost = "No result of this call was recorded.";

    expect(toModelMessages(entries)[1]).toEqual({
      role: "tool",
      content: [
        {
          type: "tool-result",
          ...named("pay"),
          output: { type: "error-text", value: lost },
        },
        { type: "tool-approval-response", approvalId: "a1", approved: false, reason: lost },
      ],
    });
  });

  it("keeps a compaction in the answer that made it, where what stood before it is gone", () => {
    const kind = "openai.compaction" as const;
    const compaction = { type: "custom", kind, providerOptions: { openai: { a: 1 } } } as const;
    const entries = fromModelMessages([
      { role: "assistant", content: [{ type: "text", text: "Before." }, compaction] },
    ]);

    // It is no more to be trusted than the results in it (L14).
    expect(entries).toMatchObject([
      { type: "assistant_message" },
      { type: "summary", trust: "tool" },
    ]);
    expect(toModelMessages(entries.slice(1))).toEqual([
      { role: "assistant", content: [compaction] },
    ]);
  });

  it("writes JSON that was shrunk to text as text", () => {
    const output = { type: "json" as const, value: { rows: [1, 2, 3] } };
    const entries = fromModelMessages([
      { role: "tool", content: [{ type: "tool-result", ...named("t"), output }] },
    ]);
    const shrunk = (content: string): readonly object[] =>
      toModelMessages(entries.map((entry): HistoryEntry => ({ ...entry, content })));

    expect(shrunk('{"rows":[1]}')).toMatchObject([
      { content: [{ output: { type: "json", value: { rows: [1] } } }] },
    ]);
    expect(shrunk('{"rows":[1 … ')).toMatchObject([
      { content: [{ output: { type: "text", value: '{"rows":[1 … ' } }] },
    ]);
  });

  it("keeps arguments that are no object as their text", () => {
    const toolCalls = ["", "{not closed", "11111111111111111111"].map((said, index) => ({
      id: `c${index}`,
      name: "read",
      arguments: said,
    }));

    expect(toModelMessages([action({ toolCalls })])[0]?.content).toEqual([
      { type: "tool-call", toolCallId: "c0", toolName: "read" },
      { type: "tool-call", toolCallId: "c1", toolName: "read", input: "{not closed" },
      { type: "tool-call", toolCallId: "c2", toolName: "read", input: "11111111111111111111" },
    ]);
  });
});

function named(toolName: string): { toolCallId: string; toolName: string } {
  return { toolCallId: "c1", toolName };
}

function text(said: string): { type: "text"; text: string } {
  return { type: "text", text: said };
}
