import { describe, expect, it } from "vitest";

import { entriesToResponses } from "../../test-mappings/entries-to-responses.ts";
import { isJsonObject } from "../../test-mappings/internal/is-json-object.ts";
import { withContent, withoutOrigin } from "../../test-mappings/internal/what-is-said.ts";
import { mappingSuite } from "../../test-mappings/mapping-suite.ts";
import { openAIChatToEntries } from "../../test-mappings/openai-chat-to-entries.ts";
import { responsesPage } from "../../test-mappings/pages/responses-page.ts";
import { responsesStrangePage } from "../../test-mappings/pages/responses-strange-page.ts";
import { responsesToEntries } from "../../test-mappings/responses-to-entries.ts";
import type { HistoryEntry } from "../history-entry.ts";

describe("responsesToEntries", () => {
  mappingSuite({
    toEntries: responsesToEntries,
    toMessages: (entries) => entriesToResponses(entries).filter(isJsonObject),
    page: responsesPage,
    strangePage: responsesStrangePage,
    fromOpenAIChat: (messages) =>
      entriesToResponses(withoutOrigin(openAIChatToEntries(messages))).filter(isJsonObject),
  });

  it("reads the items of one answer as one entry, and each input as one", () => {
    expect(responsesToEntries(responsesPage).map((entry) => entry.type)).toEqual([
      "system_message",
      "system_message",
      "user_message",
      "user_message",
      "action",
      ...Array.from({ length: 14 }, () => "observation"),
      "action",
      "observation",
      "observation",
      "observation",
      "assistant_message",
      "summary",
      "assistant_message",
      "system_message",
      "system_message",
      "assistant_message",
      "user_message",
      "user_message",
      "system_message",
    ]);
  });

  it("knows images, sounds and files of each source", () => {
    const [message] = responsesToEntries(responsesPage.slice(3, 4));

    expect(message?.content).toMatchObject([
      { type: "text", text: "What is on these?" },
      { type: "image", source: { kind: "url" }, detail: "original" },
      { type: "image", source: { kind: "data", base64: "iVBORw0KGgo=" }, mediaType: "image/png" },
      { type: "image", source: { kind: "id", id: "file_1" }, detail: "low" },
      { type: "file", source: { kind: "id", id: "file_2" } },
      { type: "file", source: { kind: "url", url: "https://example.com/b.pdf" } },
      { type: "file", source: { kind: "data", base64: "JVBERi0=" }, name: "c.pdf" },
      { type: "file", source: { kind: "data", base64: "UklGRg==" }, name: "d.wav" },
      { type: "file", source: { kind: "data", base64: "JVBERi0x" }, name: "e" },
      { type: "file", source: { kind: "data", base64: "UklGRg==" }, mediaType: "audio/mpeg" },
    ]);
  });

  it("reads reasoning and messages as parts, and keeps what the provider ran as it is", () => {
    const opaque = (type: string): object => ({ type: "opaque", data: { type } });

    expect(answerOnPage().content).toMatchObject([
      { type: "reasoning", text: "First I look.", data: { encrypted_content: "gAAAAAB" } },
      { type: "reasoning", text: "Then I answer." },
      { type: "reasoning", text: "The open thought itself." },
      { type: "text", text: "I look it up." },
      { type: "text", text: "It says so." },
      { type: "text", text: "But no more than this." },
      opaque("web_search_call"),
      opaque("file_search_call"),
      opaque("code_interpreter_call"),
      opaque("image_generation_call"),
      opaque("mcp_list_tools"),
      opaque("mcp_call"),
      opaque("program"),
      opaque("program_output"),
      opaque("tool_search_call"),
      opaque("tool_search_output"),
      { type: "text", text: "An easy message after the calls." },
    ]);
  });

  it("knows calls of each kind, approvals among them", () => {
    expect(answerOnPage()).toMatchObject({
      toolCalls: [
        { id: "call_1", name: "read", arguments: '{"path": "a.md"}' },
        { id: "call_2", name: "python", arguments: "print('hi there')", kind: "custom" },
        { id: "call_3", name: "computer", arguments: expect.stringContaining("typed text") },
        { id: "call_4", name: "computer", arguments: expect.stringContaining("screenshot") },
        { id: "call_5", name: "local_shell", arguments: expect.stringContaining('"exec"') },
        { id: "call_6", name: "shell", arguments: expect.stringContaining('["ls -l"]') },
        { id: "call_7", name: "apply_patch", arguments: expect.stringContaining("a new line") },
        { id: "call_8", name: "tool_search", arguments: expect.stringContaining("find mine") },
        { id: "mr_1", name: "pay", arguments: '{"sum": 5}', kind: "approval" },
        { id: "mr_2", name: "pay", arguments: '{"sum": 6}', kind: "approval" },
        { id: "mr_3", name: "left_pending", arguments: "{}", kind: "approval" },
      ],
    });
  });

  it("knows what each call gave, and how it ended", () => {
    const results = responsesToEntries(responsesPage).filter(
      (entry) => entry.type === "observation",
    );

    expect(results).toMatchObject([
      { callId: "mr_2", toolName: "pay", outcome: "denied", content: "Far too much." },
      { callId: "mr_1", toolName: "pay", outcome: "success", content: "" },
      { callId: "call_2", toolName: "python", content: "hi there" },
      { callId: "call_1", toolName: "read", content: "Words of the file." },
      { content: [{ type: "text" }, { type: "image" }, { type: "file" }] },
      { toolName: "computer", content: [{ type: "image", source: { kind: "data" } }] },
      { toolName: "computer", content: [{ type: "image", source: { kind: "id" } }] },
      { callId: "call_5", toolName: "local_shell", content: "a.md and b.md" },
      {
        toolName: "shell",
        outcome: "error",
        content: [
          { text: "Out of the first." },
          { text: "Out of the second." },
          { text: "And its error." },
          { text: "" },
          { text: "Only an error." },
        ],
      },
      { toolName: "shell", outcome: "success", content: [] },
      { toolName: "apply_patch", outcome: "error", content: "No such file there." },
      { toolName: "apply_patch", outcome: "success", content: "" },
      { toolName: "apply_patch", outcome: "success", content: "" },
      { toolName: "tool_search", content: [{ type: "opaque" }] },
      { callId: "call_1", toolName: "read", content: "Of the first." },
      { callId: "call_1", toolName: "write", content: "" },
      { callId: "call_1", content: [] },
    ]);
  });

  it.each([
    [{ type: "exit", exit_code: 0 }, "success"],
    [{ type: "exit", exit_code: 2 }, "error"],
    [{ type: "timeout" }, "error"],
  ])("reads a shell command that ended by %o as %s", (outcome, expected) => {
    const output = [{ stdout: "", stderr: "", outcome }];

    expect(
      responsesToEntries([{ type: "shell_call_output", call_id: "c1", output }]),
    ).toMatchObject([{ outcome: expected }]);
  });

  it.each([
    { type: "function_call_output", call_id: "c1", output: { text: "An object." } },
    { type: "tomorrow_call", call_id: "c1", goal: "A kind of tomorrow." },
    { role: "critic", content: "A role of tomorrow." },
  ])("carries an item of no known kind whole: %o", (item) => {
    expect(responsesToEntries([item])).toMatchObject([
      { type: "assistant_message", content: [{ type: "opaque", data: item }] },
    ]);
  });
});

describe("entriesToResponses", () => {
  it("shows what an entry says now, not what it said when it came", () => {
    const entries = responsesToEntries([
      { type: "function_call_output", call_id: "c1", output: null },
      { type: "apply_patch_call_output", call_id: "c2", status: "completed" },
      { type: "message", role: "user", content: null },
    ]).map((entry) => withContent(entry, "Now."));

    expect(entriesToResponses(entries)).toEqual([
      { type: "function_call_output", call_id: "c1", output: "Now." },
      { type: "apply_patch_call_output", call_id: "c2", status: "completed", output: "Now." },
      { type: "message", role: "user", content: "Now." },
    ]);
  });

  it("keeps every text of an item whose first part is gone", () => {
    const answer = answerOnPage();
    const parts = typeof answer.content === "string" ? [] : (answer.content ?? []);
    const left = parts.filter((part) => part.type === "text").slice(1, 3);

    expect(entriesToResponses([withContent(answer, left)]).slice(0, 2)).toEqual([
      { role: "assistant", content: "It says so." },
      { role: "assistant", content: "But no more than this." },
    ]);
  });

  it("writes an answer of another format as messages and calls", () => {
    const entries = openAIChatToEntries([
      { role: "assistant", content: "I look.", tool_calls: [call("c1")] },
      { role: "tool", tool_call_id: "c1", content: "Found." },
    ]);

    expect(entriesToResponses(entries)).toEqual([
      { role: "assistant", content: "I look." },
      { type: "function_call", call_id: "c1", name: "read", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: "Found." },
    ]);
  });
});

function answerOnPage(): HistoryEntry {
  const answer = responsesToEntries(responsesPage).find((entry) => entry.type === "action");
  if (answer === undefined) throw new Error("The page has no answer with calls.");
  return answer;
}

function call(id: string): object {
  return { id, type: "function", function: { name: "read", arguments: "{}" } };
}
