import {
  action,
  assistantMessage,
  memory,
  observation,
  summary,
  systemMessage,
  userMessage,
} from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { readAny } from "../test-messages/read-any.ts";
import { toAnthropicRequest } from "./index.ts";

const asks = { role: "user", content: "Which flights?" };
const says = { role: "assistant", content: "Two." };
const thinking = { type: "thinking", thinking: "Two fly.", signature: "EqQBCkYIAR==" };
const call = { type: "tool_use", id: "toolu_1", name: "look", input: {} };
const result = { type: "tool_result", tool_use_id: "toolu_1", content: "Two." };

describe("toAnthropicRequest", () => {
  it("gives back `system` as it came, text or blocks", () => {
    const blocks = [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }];
    for (const system of ["Be brief.", blocks]) {
      expect(toAnthropicRequest(readAny([asks], { system }))).toEqual({ system, messages: [asks] });
    }
    expect(toAnthropicRequest(readAny([asks]))).toEqual({ messages: [asks] });
    expect(toAnthropicRequest(readAny([asks], { system: " " }))).toEqual({ messages: [asks] });
  });

  it("keeps thinking byte for byte in its order, `caller` and what servers did", () => {
    const caller = { type: "code_execution_20260120", tool_id: "srvtoolu_1" };
    const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} };
    const found = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] };
    const redacted = { type: "redacted_thinking", data: "EmwKAhgBEgy3va3pzix" };
    const content = [thinking, redacted, search, found, thinking, { ...call, caller }];
    const messages = [asks, { role: "assistant", content }, { role: "user", content: [result] }];

    expect(toAnthropicRequest(readAny(messages)).messages).toEqual(messages);
  });

  it("leaves out what only an answer of the API holds", () => {
    const answer = { id: "msg_1", type: "message", ...says, stop_reason: "end_turn", usage: {} };

    expect(toAnthropicRequest(readAny([asks, answer, asks])).messages).toEqual([asks, says, asks]);
  });

  it("joins results, what was recalled and the question in one user's message, results first", () => {
    const answered = { toolName: "look", outcome: "success" } as const;
    const entries = [
      userMessage({ content: "Which flights?" }),
      action({ toolCalls: ["a", "b"].map((id) => ({ id, name: "look", arguments: "{}" })) }),
      observation({ ...answered, callId: "a", content: "Nine." }),
      memory({ content: "He sits at the window." }),
      observation({ ...answered, callId: "b", content: "" }),
      userMessage({ content: "Quickly!" }),
    ];

    expect(toAnthropicRequest(entries).messages.slice(2)).toEqual([
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "a", content: "Nine." },
          { type: "tool_result", tool_use_id: "b", content: "" },
          { type: "text", text: "He sits at the window." },
          { type: "text", text: "Quickly!" },
        ],
      },
    ]);
  });

  it("leaves messages of one role in a row as they came, as the API joins them", () => {
    const messages = [asks, asks, says, says, asks];

    expect(toAnthropicRequest(readAny(messages)).messages).toEqual(messages);
  });

  it("begins with a user's message where the history begins with an answer", () => {
    expect(toAnthropicRequest(readAny([says, asks])).messages).toEqual([
      { role: "user", content: "(The assistant begins.)" },
      says,
      asks,
    ]);
  });

  it("sends no blank text, in messages, in results and in `system`", () => {
    const blank = { type: "text", text: "\n" };
    const messages = [
      asks,
      { role: "assistant", content: [blank, call] },
      { role: "user", content: [{ ...result, content: [blank] }, blank] },
      { role: "assistant", content: "" },
      asks,
    ];

    const request = toAnthropicRequest(readAny(messages, { system: [blank] }));
    expect(request).toEqual({
      messages: [
        asks,
        { role: "assistant", content: [call] },
        { role: "user", content: [{ ...result, content: [] }] },
        asks,
      ],
    });
  });

  it("gives ids and names of other providers characters that Anthropic takes, and inputs an object", () => {
    const calls = ["call|1", "call.1"].map((id) => ({ id, name: "look up", arguments: "[1]" }));
    const entries = [
      userMessage({ content: "Go." }),
      action({ toolCalls: calls }),
      observation({ callId: "call|1", toolName: "look up", outcome: "success", content: "One." }),
    ];
    const [, answer, results] = toAnthropicRequest(entries).messages;

    const taken: unknown = expect.stringMatching(/^[\w-]{1,64}$/u);
    const ids = ((answer?.content ?? []) as { id: string }[]).map(({ id }) => id);
    expect(answer?.content).toMatchObject([
      { id: taken, name: taken, input: { value: [1] } },
      { id: taken, name: taken },
    ]);
    expect(new Set(ids).size).toBe(2);
    const answered = ((results?.content ?? []) as { tool_use_id: string }[]).map(
      (one) => one.tool_use_id,
    );
    expect(answered.toSorted()).toEqual(ids.toSorted());
  });

  it("sends images and documents of other formats from users and tools only", () => {
    const image = {
      type: "image",
      source: { kind: "url", url: "https://example.com/a.png" },
    } as const;
    const own = { type: "image", source: { type: "url", url: "https://example.com/a.png" } };
    const text = { type: "text", text: "[image]" };
    const entries = [
      userMessage({ content: [image] }),
      assistantMessage({ content: [image] }),
      userMessage({ content: "And?" }),
    ];

    expect(toAnthropicRequest(entries).messages.map(({ content }) => content)).toEqual([
      [own],
      [text],
      "And?",
    ]);
  });

  it("leaves thinking out where that is asked for", () => {
    const messages = [
      asks,
      { role: "assistant", content: [thinking, call] },
      { role: "user", content: [result] },
      { role: "assistant", content: [thinking] },
    ];
    const request = toAnthropicRequest(readAny(messages), { thinking: "drop" });

    expect(request.messages).toEqual([
      asks,
      { role: "assistant", content: [call] },
      { role: "user", content: [result] },
    ]);
  });
});

describe("toAnthropicRequest with a compaction", () => {
  const block = {
    type: "compaction",
    content: "They want a flight.",
    encrypted_content: "Ew==",
    signature: "EuYBCkQY",
    tool_changes: [],
  };
  const compacted = { role: "assistant", content: [block, { type: "text", text: "Rome it is." }] };

  it("sends the block verbatim and first, and nothing that stands before it", () => {
    const messages = [asks, says, asks, compacted, asks];

    const request = toAnthropicRequest(readAny(messages, { system: "Be brief." }));
    expect(request).toEqual({ system: "Be brief.", messages: [compacted, asks] });
  });

  it("sends the last block, without what stands before it in its own answer", () => {
    const older = { role: "assistant", content: [{ ...block, content: "Older." }] };
    const answer = {
      role: "assistant",
      content: [{ type: "text", text: "So." }, ...compacted.content],
    };

    expect(toAnthropicRequest(readAny([older, asks, answer, asks])).messages).toEqual([
      compacted,
      asks,
    ]);
  });

  it("reads past a block that failed", () => {
    const failed = { role: "assistant", content: [{ type: "compaction", content: null }] };
    const messages = [asks, failed, asks];

    expect(toAnthropicRequest(readAny(messages)).messages).toEqual(messages);
  });

  it("sends a summary of one's own as a user's message", () => {
    const own = summary({ content: "So far.", strategy: "chunked", trust: "user" });

    expect(toAnthropicRequest([own, userMessage({ content: "And?" })]).messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "So far." },
          { type: "text", text: "And?" },
        ],
      },
    ]);
  });
});

describe("toAnthropicRequest with system messages in the middle", () => {
  const system = { role: "system", content: "Answer in French." };

  it("leaves one that came so where it is, or moves it behind the next user's message", () => {
    for (const messages of [
      [asks, system],
      [asks, system, says, asks],
    ]) {
      expect(toAnthropicRequest(readAny(messages)).messages).toEqual(messages);
    }
    expect(toAnthropicRequest(readAny([asks, says, system, asks, says, asks])).messages).toEqual([
      asks,
      says,
      asks,
      system,
      says,
      asks,
    ]);
  });

  it("sends one that may stand nowhere in `system`", () => {
    expect(toAnthropicRequest(readAny([system, asks], { system: "Be brief." }))).toEqual({
      system: [
        { type: "text", text: "Be brief." },
        { type: "text", text: "Answer in French." },
      ],
      messages: [asks],
    });
  });

  it("sends those of other formats in `system`, or among messages where that is asked for", () => {
    const entries = [userMessage({ content: "Hi." }), systemMessage({ content: "Be brief." })];
    const messages = [{ role: "user", content: "Hi." }];

    expect(toAnthropicRequest(entries)).toEqual({ system: "Be brief.", messages });
    expect(toAnthropicRequest(entries, { systemInMessages: true })).toEqual({
      messages: [...messages, { role: "system", content: "Be brief." }],
    });
  });

  it("joins two of them, and leaves one that only sets an effort where it is", () => {
    const effort = { role: "system", content: [], output_config: { effort: "low" } };
    const messages = [effort, asks, system, { ...system, content: "Be brief." }, says, asks];

    expect(toAnthropicRequest(readAny(messages)).messages).toEqual([
      effort,
      asks,
      {
        role: "system",
        content: [
          { type: "text", text: "Answer in French." },
          { type: "text", text: "Be brief." },
        ],
      },
      says,
      asks,
    ]);
  });
});
