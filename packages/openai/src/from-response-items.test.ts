import type { HistoryEntry } from "@agent-history/core";
import { checkHistory } from "@agent-history/core/check";
import type { ResponseInputItem, ResponseOutputItem } from "openai/resources/responses/responses";
import { describe, expect, expectTypeOf, it } from "vitest";

import { responsePage } from "../test-messages/responses/pages/response-page.ts";
import { fromResponseItems } from "./response-items.ts";

/** Each kind of item that the SDK has; one more in a later SDK, or one less, does not compile. */
const KINDS: Record<
  NonNullable<ResponseInputItem["type"]> | ResponseOutputItem["type"],
  "message" | "answer" | "call" | "result" | "settings" | "summary"
> = {
  message: "message",
  reasoning: "answer",
  item_reference: "answer",
  file_search_call: "answer",
  web_search_call: "answer",
  image_generation_call: "answer",
  code_interpreter_call: "answer",
  mcp_list_tools: "answer",
  mcp_call: "answer",
  // Alone; with what it gave beside it, it is part of the answer.
  program: "call",
  program_output: "answer",
  function_call: "call",
  custom_tool_call: "call",
  computer_call: "call",
  local_shell_call: "call",
  shell_call: "call",
  apply_patch_call: "call",
  tool_search_call: "call",
  mcp_approval_request: "call",
  function_call_output: "result",
  custom_tool_call_output: "result",
  computer_call_output: "result",
  local_shell_call_output: "result",
  shell_call_output: "result",
  apply_patch_call_output: "result",
  tool_search_output: "result",
  mcp_approval_response: "result",
  additional_tools: "settings",
  configuration_update: "settings",
  compaction_trigger: "settings",
  compaction: "summary",
};

const TYPE_OF = {
  message: "user_message",
  answer: "assistant_message",
  call: "action",
  result: "observation",
  settings: "system_message",
  summary: "summary",
} as const;

describe("fromResponseItems", () => {
  it("takes the items of the SDK, of input and output", () => {
    type Items = Parameters<typeof fromResponseItems>[0];
    expectTypeOf<readonly ResponseInputItem[]>().toExtend<Items>();
    expectTypeOf<readonly ResponseOutputItem[]>().toExtend<Items>();
    expect(fromResponseItems([])).toEqual([]);
  });

  it.each(Object.entries(KINDS))("reads a %s as %s", (kind, expected) => {
    const item = responsePage.find(({ type, role, call_id: callId }) =>
      kind === "message" ? role === "user" : type === kind && callId !== null,
    );
    if (item === undefined) throw new Error(`The page has no ${kind}.`);

    expect(fromResponseItems([item]).map(({ type }) => type)).toEqual([TYPE_OF[expected]]);
  });

  it("reads the items of one answer as one entry, and each input as one", () => {
    expect(fromResponseItems(responsePage).map(({ type }) => type)).toEqual([
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
      "assistant_message",
      "assistant_message",
      "assistant_message",
      "user_message",
      "user_message",
      "system_message",
    ]);
  });

  it("knows images, sounds and files of each source", () => {
    const [message] = fromResponseItems(responsePage.slice(3, 4));

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

  it("reads thoughts and messages as parts, and keeps what is sealed or ran at the provider as it is", () => {
    const opaque = (type: string): object => ({ type: "opaque", data: { type } });

    expect(answerOnPage().content).toMatchObject([
      { type: "reasoning", text: "", data: { encrypted_content: "gAAAAAB" } },
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
      // A second message among calls: it is counted as what it is.
      { type: "opaque", data: { role: "assistant" } },
    ]);
    const open = { type: "reasoning", summary: [{ type: "summary_text", text: "I look." }] };
    expect(fromResponseItems([open])).toMatchObject([
      { content: [{ type: "reasoning", text: "I look." }] },
    ]);
  });

  it("trusts a provider's compaction no more than the results in it (L14)", () => {
    const item = responsePage.filter(({ type }) => type === "compaction");

    expect(fromResponseItems(item)).toMatchObject([{ type: "summary", trust: "tool" }]);
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
    const results = fromResponseItems(responsePage).filter(({ type }) => type === "observation");

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
      fromResponseItems([{ type: "shell_call_output", call_id: "c1", output }] as object[]),
    ).toMatchObject([{ outcome: expected }]);
  });

  it("begins an entry at each message, unless calls wait for their results", () => {
    const first = { role: "assistant", content: "I look." };
    const second = { role: "assistant", content: "I go on." };
    const call = { type: "function_call", call_id: "c1", name: "read", arguments: "{}" };
    const result = { type: "function_call_output", call_id: "c1", output: "Read." };
    const types = (items: readonly object[]): readonly string[] =>
      fromResponseItems(items).map(({ type }) => type);

    expect(types([first, second, call, result])).toEqual([
      "assistant_message",
      "action",
      "observation",
    ]);
    const tied = [first, call, second, result];
    expect(types(tied)).toEqual(["action", "observation"]);
    expect(checkHistory(fromResponseItems(tied))).toEqual([]);
  });

  it("gives an entry another id where one of its items was changed", () => {
    const idOf = (said: string): unknown =>
      fromResponseItems([
        { type: "reasoning", summary: [] },
        { role: "assistant", content: said },
      ])[0]?.id;

    expect(idOf("One.")).toBe(idOf("One."));
    expect(idOf("One.")).not.toBe(idOf("Two."));
  });

  it("gives the entries turn, agent, ids and times that it is handed", () => {
    let count = 0;
    const newId = (): string => `e${(count += 1)}`;
    const agent = { id: "w1", role: "worker" } as const;

    expect(
      fromResponseItems([{ role: "user", content: "Hi." }], {
        newId,
        now: () => 5,
        turnId: "t1",
        agent,
      }),
    ).toEqual([
      {
        type: "user_message",
        content: "Hi.",
        id: "e1",
        createdAtMs: 5,
        turnId: "t1",
        agent,
        origin: { format: "openai-responses", message: "e1", index: 0 },
      },
    ]);
  });

  it("looks at known items to compare them, and gives the same entries", () => {
    let looks = 0;
    const items = Array.from({ length: 40 }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      get content() {
        looks += 1;
        return `Message ${index}.`;
      },
    }));
    const first = fromResponseItems(items);
    looks = 0;
    const grown = fromResponseItems([...items, { role: "user", content: "And now?" }]);

    for (const [index, entry] of first.entries()) expect(grown[index]).toBe(entry);
    expect(looks).toBeLessThanOrEqual(2 * items.length + 1);
  });
});

function answerOnPage(): HistoryEntry {
  const answer = fromResponseItems(responsePage).find(({ type }) => type === "action");
  if (answer === undefined) throw new Error("The page has no answer with calls.");
  return answer;
}
