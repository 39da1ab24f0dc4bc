import {
  action,
  attachment,
  errorEntry,
  final,
  globalObservation,
  repairHistory,
  observation,
  summary,
  task,
  userMessage,
} from "@agent-history/core";
import type { Agent, HistoryEntry } from "@agent-history/core";
import type { ResponseInputItem } from "openai/resources/responses/responses";
import { describe, expect, expectTypeOf, it } from "vitest";

import { itemProblems } from "../test-messages/responses/item-problems.ts";
import { responsePage } from "../test-messages/responses/pages/response-page.ts";
import { fromChatMessages } from "./chat-messages.ts";
import { fromResponseItems } from "./response-items.ts";
import { toResponseItems } from "./response-items.ts";

const manager: Agent = { id: "m1", role: "manager" };
const worker: Agent = { id: "w1", role: "worker" };

describe("toResponseItems", () => {
  it("gives what the SDK takes", () => {
    expectTypeOf(toResponseItems).returns.toExtend<ResponseInputItem[]>();
    expect(toResponseItems([])).toEqual([]);
  });

  it("reads each type as it is to the viewer", () => {
    const entries = [
      task({ content: "Look.", agent: worker, from: manager }),
      final({ content: "Found.", agent: worker }),
      errorEntry({ content: "Timed out." }),
      summary({ content: "Before.", strategy: "s", trust: "user" }),
      summary({ content: "Rules.", strategy: "s", trust: "system" }),
    ];
    const roles = (viewer?: { agentId: string }): unknown[] =>
      toResponseItems(entries, viewer).map((item) => ("role" in item ? item.role : undefined));

    expect(roles({ agentId: "m1" })).toEqual(["assistant", "user", "user", "user", "system"]);
    expect(roles({ agentId: "w1" })).toEqual(["user", "assistant", "user", "user", "system"]);
    expect(roles()).toEqual(["user", "user", "user", "user", "system"]);
  });

  it("shows a user's message as it is rendered, and sources a blank line below their result", () => {
    const sources = [{ number: 3, id: "a", text: "Water boils." }];
    const found = { callId: "c1", toolName: "search", outcome: "success" } as const;

    expect(
      toResponseItems([
        userMessage({ content: "{q}", rendered: "Does it boil?" }),
        action({ toolCalls: [{ id: "c1", name: "search", arguments: "{}" }] }),
        observation({ ...found, content: "One hit.", sources }),
        globalObservation({ content: "", sources }),
      ]),
    ).toEqual([
      { role: "user", content: "Does it boil?" },
      { type: "function_call", call_id: "c1", name: "search", arguments: "{}" },
      {
        type: "function_call_output",
        call_id: "c1",
        output: "One hit.\n\n[source3]\nWater boils.",
      },
      { role: "user", content: "[source3]\nWater boils." },
    ]);
  });

  it("sends images and files in user messages and results, and a line for them elsewhere", () => {
    const image = { type: "image", source: { kind: "url", url: "https://a.example/p" } } as const;
    const file = { type: "file", source: { kind: "data", base64: "AA==" } } as const;
    const plan = { type: "file", source: { kind: "text", text: "Go." }, name: "plan.txt" } as const;
    const content = [image, file, plan];
    const sent = [
      { type: "input_image", image_url: "https://a.example/p", detail: "auto" },
      {
        type: "input_file",
        file_data: "data:application/octet-stream;base64,AA==",
        filename: "file",
      },
      { type: "input_text", text: "plan.txt" },
      { type: "input_text", text: "Go." },
    ];

    expect(
      toResponseItems([
        attachment({ messageId: "u1", name: "uploads", content }),
        observation({ callId: "c", toolName: "look", outcome: "success", content }),
        final({ content }),
      ]),
    ).toEqual([
      { role: "user", content: [{ type: "input_text", text: "uploads" }, ...sent] },
      { type: "function_call_output", call_id: "c", output: sent },
      {
        role: "assistant",
        content: ["[image]", "[file]", "plan.txt", "Go."].map((text) => ({
          type: "output_text",
          text,
        })),
      },
    ]);
  });

  it("shows what an entry says now, not what it said when it came", () => {
    const entries = fromResponseItems([
      { type: "function_call_output", call_id: "c1", output: null },
      { type: "apply_patch_call_output", call_id: "c2", status: "completed" },
      { type: "message", role: "user", content: null },
      { type: "message", role: "assistant", content: "Before.", phase: null },
    ] as object[]).map((entry): HistoryEntry => ({ ...entry, content: "Now." }));

    expect(toResponseItems(entries)).toEqual([
      { type: "function_call_output", call_id: "c1", output: "Now." },
      { type: "apply_patch_call_output", call_id: "c2", status: "completed", output: "Now." },
      { type: "message", role: "user", content: "Now." },
      { role: "assistant", content: "Now." },
    ]);
  });

  it("writes results that were cleared in a way that their kind allows", () => {
    const cleared = fromResponseItems(responsePage)
      .filter((entry) => entry.type === "observation")
      .map((entry): HistoryEntry => ({ ...entry, content: "[cleared: 900 characters]" }));
    const items = toResponseItems(cleared);

    // Alone, they answer no call.
    expect(itemProblems(items).filter((one) => !one.includes("of no call"))).toEqual([]);
    expect(items).toContainEqual(
      expect.objectContaining({
        type: "shell_call_output",
        output: [
          {
            stdout: "[cleared: 900 characters]",
            stderr: "",
            outcome: { type: "exit", exit_code: 1 },
          },
        ],
      }),
    );
  });

  it("answers calls whose results were lost in the way of their kinds, and approves nothing", () => {
    const end = responsePage.findIndex(({ type }) => type === "mcp_approval_response");
    const calls = responsePage.slice(4, end);
    const { entries } = repairHistory(
      fromResponseItems([...calls, { role: "user", content: "Go on." }]),
    );
    const items = toResponseItems(entries);
    const lost = "No result of this call was recorded.";

    expect(itemProblems(items)).toEqual([]);
    expect(items.slice(calls.length, -1)).toEqual([
      { type: "function_call_output", call_id: "call_1", output: lost },
      { type: "custom_tool_call_output", call_id: "call_2", output: lost },
      {
        type: "computer_call_output",
        call_id: "call_3",
        output: { type: "computer_screenshot", image_url: expect.stringMatching(/^data:image/u) },
      },
      expect.objectContaining({ type: "computer_call_output", call_id: "call_4" }),
      { type: "local_shell_call_output", id: "call_5", output: lost },
      {
        type: "shell_call_output",
        call_id: "call_6",
        output: [{ stdout: lost, stderr: "", outcome: { type: "exit", exit_code: 1 } }],
      },
      { type: "apply_patch_call_output", call_id: "call_7", status: "failed", output: lost },
      { type: "tool_search_output", call_id: "call_8", tools: [], execution: "client" },
      ...["mr_1", "mr_2", "mr_3"].map((id) => ({
        type: "mcp_approval_response",
        approval_request_id: id,
        approve: false,
        reason: lost,
      })),
    ]);
  });

  it("keeps every text of an item whose first part is gone", () => {
    const [answer] = fromResponseItems(responsePage.slice(5, 6));
    const parts = typeof answer?.content === "string" ? [] : (answer?.content ?? []);
    const left = answer === undefined ? [] : [{ ...answer, content: parts.slice(1) }];

    expect(toResponseItems(left)).toEqual([
      { role: "assistant", content: "It says so." },
      { role: "assistant", content: "But no more than this." },
    ]);
  });

  it("writes an answer of another format as messages and calls", () => {
    const custom = { id: "c2", type: "custom", custom: { name: "python", input: "1" } };
    const entries = fromChatMessages([
      {
        role: "assistant",
        content: "I look.",
        tool_calls: [
          { id: "c1", type: "function", function: { name: "r", arguments: "{}" } },
          custom,
        ],
      },
      { role: "tool", tool_call_id: "c1", content: "Found." },
      { role: "tool", tool_call_id: "c2", content: "One." },
    ]);

    expect(toResponseItems(entries)).toEqual([
      { role: "assistant", content: "I look." },
      { type: "function_call", call_id: "c1", name: "r", arguments: "{}" },
      { type: "custom_tool_call", call_id: "c2", name: "python", input: "1" },
      { type: "function_call_output", call_id: "c1", output: "Found." },
      { type: "custom_tool_call_output", call_id: "c2", output: "One." },
    ]);
  });

  it("answers a call of another format as the function's call that it is written as", () => {
    const toolCalls = [{ id: "c1", name: "sh", arguments: "{}", extra: { as: "shell_call" } }];
    const result = { callId: "c1", toolName: "sh", outcome: "success", content: "a.md" } as const;

    expect(toResponseItems([action({ toolCalls }), observation(result)])).toEqual([
      { type: "function_call", call_id: "c1", name: "sh", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: "a.md" },
    ]);
  });
});
