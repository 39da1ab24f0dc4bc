import { action, observation } from "@agent-history/core";
import type { Content, HistoryEntry } from "@agent-history/core";
import { faultsFor } from "@agent-history/format-kit";
import { describeMessageFormat } from "@agent-history/testkit/format";
import { describe, expect, it } from "vitest";

import { anthropicPage } from "../test-messages/pages/message-page.ts";
import { anthropicStrangePage } from "../test-messages/pages/strange-page.ts";
import { readAny } from "../test-messages/read-any.ts";
import { anthropicTarget } from "./anthropic-messages.ts";
import { toAnthropicMessages } from "./anthropic-messages.ts";

/** What a format decides; blank texts and who begins are the history's. */
const PAIRING: ReadonlySet<string> = new Set(["pairing"]);

describeMessageFormat(
  "Anthropic messages",
  {
    read: readAny,
    write: toAnthropicMessages,
    userMessage: (content) => ({ role: "user", content }),
    knownMessages: anthropicPage,
    strangeMessages: anthropicStrangePage,
    problems: (messages) =>
      faultsFor(anthropicTarget(), readAny(messages))
        .filter(({ rule }) => PAIRING.has(rule))
        .map(({ rule, index }) => `${index}: ${rule}`),
  },
  {
    runs: 100,
  },
);

describe("fromAnthropicMessages", () => {
  it("reads each message as the entries it is", () => {
    expect(anthropicPage.map((message) => typesOf([message]))).toEqual([
      ["system_message"],
      ["user_message"],
      ["action"],
      ["observation", "observation", "observation", "user_message", "observation"],
      ["assistant_message", "summary", "action"],
      ["observation"],
      ["summary"],
      ["system_message"],
      ["assistant_message"],
      ["user_message"],
      ["user_message"],
      ["user_message"],
      ["assistant_message"],
      ["assistant_message"],
      ["assistant_message"],
      // What servers did: the last but one result answers no call.
      ["observation", "assistant_message"],
      ["action"],
      ["observation"],
      ["observation", "action"],
      ["observation"],
      ["observation", "observation", "assistant_message"],
      ["action"],
      ["observation"],
    ]);
  });

  it("knows images and documents of each source", () => {
    const [message] = readAny(anthropicPage.slice(1, 2));

    expect(message?.content).toMatchObject([
      { type: "text", text: "Compare these, please." },
      { type: "image", source: { kind: "data", base64: "iVBORw0KGgo=" }, mediaType: "image/png" },
      { type: "image", source: { kind: "url", url: "https://example.com/a.png" } },
      { type: "image", source: { kind: "id", id: "file_1" } },
      { type: "file", source: { kind: "data", base64: "JVBERi0=" }, name: "Paper one" },
      { type: "file", source: { kind: "text", text: "Plain words of a paper." } },
      { type: "file", source: { kind: "url", url: "https://example.com/b.pdf" } },
      { type: "file", source: { kind: "id", id: "file_2" } },
      { type: "opaque" },
      { type: "opaque" },
      { type: "opaque", data: { type: "search_result" } },
      { type: "opaque", data: { type: "container_upload" } },
    ]);
  });

  it("keeps thinking with its signature, and what a server's tool did, in the answer", () => {
    const [answer] = readAny(anthropicPage.slice(2, 3));

    expect(answer?.content).toMatchObject([
      { type: "reasoning", text: "First I search the web.", data: { signature: "EqQBCkYIAR==" } },
      { type: "reasoning", text: "", data: { type: "redacted_thinking" } },
      { type: "text", text: "I look it up." },
      { type: "opaque", data: { type: "server_tool_use" } },
      { type: "opaque", data: { type: "web_search_tool_result" } },
      { type: "text", text: "It says so." },
      { type: "text", text: "And meanwhile this." },
      { type: "reasoning", text: "", data: { signature: "EqQBCkYIAS==" } },
    ]);
    expect(answer).toMatchObject({
      toolCalls: [
        { id: "toolu_1", name: "read", arguments: '{"path":"a.md","deep":{"list":[1]}}' },
        { id: "toolu_2", name: "read", arguments: "{}" },
        { id: "toolu_3", name: "click", arguments: '{"x":1}' },
        { id: "toolu_4", name: "noop", arguments: "{}" },
      ],
    });
  });

  it("gives each of several results its call's name and its outcome", () => {
    const entries = readAny(anthropicPage.slice(2, 4));

    expect(entries.slice(1)).toMatchObject([
      { callId: "toolu_2", toolName: "read", outcome: "success", content: "Second came first." },
      { callId: "toolu_1", toolName: "read", outcome: "error", content: "No such file there." },
      { callId: "toolu_3", toolName: "click", outcome: "success" },
      { type: "user_message", content: [{ type: "text", text: "Please go on now." }] },
      { callId: "toolu_4", toolName: "noop", outcome: "success", content: "" },
    ]);
  });

  it("reads a compaction as the provider's summary, with no more trust than a tool", () => {
    const [, summary] = readAny(anthropicPage.slice(4, 5));

    expect(summary).toMatchObject({
      type: "summary",
      strategy: "provider",
      trust: "tool",
      content: [{ type: "opaque", data: { type: "compaction", encrypted_content: "Ew==" } }],
    });
  });

  it("carries a result of no known kind as an opaque part beside the others", () => {
    const result = { type: "tool_result", tool_use_id: "t1", content: { text: "An object." } };

    expect(readAny([{ role: "user", content: [result] }])).toMatchObject([
      { type: "user_message", content: [{ type: "opaque", data: result }] },
    ]);
  });

  it("reads -0, which JSON cannot write, as 0", () => {
    const block = { type: "tool_use", id: "t1", name: "read", input: { line: -0 } };

    expect(toAnthropicMessages(readAny([{ role: "assistant", content: [block] }]))).toEqual([
      { role: "assistant", content: [{ ...block, input: { line: 0 } }] },
    ]);
  });
});

describe("toAnthropicMessages", () => {
  it("writes what is left of a message as one message", () => {
    const entries = readAny(anthropicPage.slice(2, 4));
    const left = entries.filter((_, index) => index === 2 || index === 4);

    expect(toAnthropicMessages(left)).toEqual([
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "toolu_1",
            content: "No such file there.",
            is_error: true,
          },
          { type: "text", text: "Please go on now." },
        ],
      },
    ]);
  });

  it("shows what a result says now, not what it said when it came", () => {
    const [entry] = readAny([
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t" }] },
    ]);
    const shrunk = entry === undefined ? [] : [withContent(entry, "Shrunk.")];

    expect(toAnthropicMessages(shrunk)).toEqual([
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "t", content: "Shrunk." }],
      },
    ]);
  });

  it("puts calls back among what is left of the answer", () => {
    const [answer] = readAny(anthropicPage.slice(2, 3));
    const texts = [{ type: "text", text: "I look it up." }] as const;
    const shrunk = answer === undefined ? [] : [withContent(answer, texts)];

    expect(toAnthropicMessages(shrunk)).toMatchObject([
      {
        content: [
          { type: "text" },
          { id: "toolu_1" },
          { id: "toolu_2" },
          { id: "toolu_3" },
          { id: "toolu_4" },
        ],
      },
    ]);
  });

  it("writes the results of another format in one message, and gives every call an object", () => {
    const called = ["", "{not closed", "[1]"].map((text, index) => ({
      id: `c${index}`,
      name: "read",
      arguments: text,
    }));
    const answered = { toolName: "read", outcome: "success" } as const;
    const entries = [
      action({ toolCalls: called }),
      observation({ ...answered, callId: "c0", content: "One." }),
      observation({ ...answered, callId: "c1", content: "Two." }),
    ];

    expect(toAnthropicMessages(entries)).toEqual([
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: "c0", name: "read", input: {} },
          { type: "tool_use", id: "c1", name: "read", input: { arguments: "{not closed" } },
          { type: "tool_use", id: "c2", name: "read", input: [1] },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "c0", content: "One." },
          { type: "tool_result", tool_use_id: "c1", content: "Two." },
        ],
      },
    ]);
  });
});

function typesOf(messages: readonly object[]): readonly string[] {
  return readAny(messages).map((entry) => entry.type);
}

function withContent(entry: HistoryEntry, content: Content): HistoryEntry {
  return { ...entry, content };
}
