import type { HistoryEntry } from "@agent-history/core";
import { pairCalls } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { entriesToOpenAIChat } from "../../test-mappings/entries-to-openai-chat.ts";
import { countedSources } from "../../test-mappings/internal/counted-sources.ts";
import { whatIsSaid, withContent } from "../../test-mappings/internal/what-is-said.ts";
import { mappingSuite } from "../../test-mappings/mapping-suite.ts";
import { openAIChatToEntries } from "../../test-mappings/openai-chat-to-entries.ts";
import { openAIChatPage } from "../../test-mappings/pages/openai-chat-page.ts";
import { openAIChatStrangePage } from "../../test-mappings/pages/openai-chat-strange-page.ts";

describe("openAIChatToEntries", () => {
  mappingSuite({
    toEntries: openAIChatToEntries,
    toMessages: entriesToOpenAIChat,
    page: openAIChatPage,
    strangePage: openAIChatStrangePage,
    fromOpenAIChat: (messages) => messages,
  });

  it("reads each role as the entry it is", () => {
    const types = openAIChatToEntries(openAIChatPage).map((entry) => entry.type);

    expect(types).toEqual([
      "system_message",
      "system_message",
      "user_message",
      "action",
      "observation",
      "observation",
      "observation",
      "action",
      "observation",
      "action",
      "action",
      "observation",
      "observation",
      "observation",
      "action",
      "observation",
      "observation",
      ...Array.from({ length: 10 }, () => "assistant_message"),
      "user_message",
      "user_message",
    ]);
  });

  it("knows images, sounds and files of each source", () => {
    const [message] = openAIChatToEntries(openAIChatPage.slice(2, 3));

    expect(message?.content).toMatchObject([
      { type: "text", text: "What is on these?" },
      { type: "image", source: { kind: "url" }, detail: "original" },
      { type: "image", source: { kind: "data", base64: "iVBORw0KGgo=" }, mediaType: "image/png" },
      { type: "image", source: { kind: "url", url: "data:image/svg+xml,<svg xmlns=''/>" } },
      { type: "file", source: { kind: "data", base64: "UklGRg==" }, mediaType: "audio/wav" },
      { type: "file", source: { kind: "data", base64: "SUQzBA==" }, mediaType: "audio/mpeg" },
      { type: "file", source: { kind: "id", id: "file-1" }, name: "plan.pdf" },
      { type: "file", source: { kind: "data", base64: "JVBERi0=" }, name: "b.pdf" },
      { type: "file", source: { kind: "data", base64: "UklGRg==" }, name: "c.wav" },
      { type: "file", source: { kind: "data", base64: "JVBERi0x" } },
    ]);
  });

  it("knows calls of each kind, as the model wrote them", () => {
    const [action] = openAIChatToEntries(openAIChatPage.slice(3, 4));

    expect(action).toMatchObject({
      toolCalls: [
        { id: "call_1", name: "search", arguments: '{"q": "a"}' },
        { id: "call_2", name: "python", arguments: "print('hi there')", kind: "custom" },
        { id: "call_3", name: "search", arguments: "{not closed" },
      ],
    });
  });

  it("reads a refusal as text, and a sound that the model made as opaque", () => {
    const [refusal, partly, , sound] = openAIChatToEntries(openAIChatPage.slice(17));

    expect(refusal?.content).toMatchObject([{ type: "text", text: "I cannot help with that." }]);
    expect(partly?.content).toMatchObject([
      { type: "text", text: "Partly, yes." },
      { type: "text", text: "But not with the rest." },
    ]);
    expect(sound?.content).toMatchObject([{ type: "opaque", data: { id: "audio_1" } }]);
  });

  it("names the tool of each result, where an id is used twice and results interleave", () => {
    const entries = openAIChatToEntries(openAIChatPage);
    const results = entries.filter((entry) => entry.type === "observation");

    expect(results.map((entry) => entry.toolName)).toEqual([
      "search",
      "search",
      "python",
      "open_page",
      "write",
      "write",
      "read",
      "lookup",
      "lookup",
    ]);
  });

  it("gives calls without an id one of their own, and their results the same", () => {
    const entries = openAIChatToEntries(openAIChatStrangePage, countedSources());
    const { actionOf } = pairCalls(entries);
    const results = entries.filter((_, index) => actionOf.has(index));

    expect(whatIsSaid(results)).toMatchObject([
      { text: "For the first without an id.", callId: "call_3_0", toolName: "no_id" },
      { text: "For the second without an id.", callId: "call_3_1", toolName: "no_id" },
      { text: "For the third without an id.", callId: "call_3_2", toolName: "no_type" },
      { text: "", callId: "c5", toolName: "another_name" },
    ]);
  });

  it("says a tool's name once, where its message bears it", () => {
    const [result] = openAIChatToEntries([
      { role: "tool", tool_call_id: "c1", name: "read", content: "" },
    ]);

    expect(result).toMatchObject({ toolName: "read", origin: { extra: { as: "named" } } });
    expect(result?.origin?.extra).not.toHaveProperty("fields");
  });

  it.each([
    { role: "critic", content: "A role of tomorrow." },
    { role: "assistant", content: { text: "An object as content." } },
    { role: "tool", tool_call_id: "c1", content: 7 },
  ])("carries a message of no known kind whole: %o", (message) => {
    expect(openAIChatToEntries([message])).toMatchObject([
      { type: "assistant_message", content: [{ type: "opaque", data: message }] },
    ]);
  });
});

describe("entriesToOpenAIChat", () => {
  it("shows what an entry says now, not what it said when it came", () => {
    const messages = [
      { role: "assistant", content: null, tool_calls: [call("c1")] },
      { role: "tool", tool_call_id: "c1", content: null },
      { role: "tool", tool_call_id: "c1", content: "A long result.", name: "read" },
    ];
    const entries = openAIChatToEntries(messages).map((entry) => withContent(entry, "Now."));

    expect(entriesToOpenAIChat(entries)).toEqual([
      { role: "assistant", content: "Now.", tool_calls: [call("c1")] },
      { role: "tool", tool_call_id: "c1", content: "Now." },
      { role: "tool", tool_call_id: "c1", content: "Now.", name: "read" },
    ]);
  });

  it("leaves out what only another format understands", () => {
    const content = [{ type: "refusal", refusal: "Partly." }];
    const entries = openAIChatToEntries([{ role: "assistant", content, refusal: "No.", x: 1 }]);

    expect(entriesToOpenAIChat(entries.map(asOfAnotherFormat))).toEqual([
      {
        role: "assistant",
        content: [
          { type: "text", text: "Partly." },
          { type: "text", text: "No." },
        ],
      },
    ]);
  });
});

function asOfAnotherFormat(entry: HistoryEntry): HistoryEntry {
  return entry.origin === undefined
    ? entry
    : { ...entry, origin: { ...entry.origin, format: "another" } };
}

function call(id: string): object {
  return { id, type: "function", function: { name: "read", arguments: "{}" } };
}
