import { groupExchanges, repairHistory } from "@agent-history/core";
import { checkHistory } from "@agent-history/core/check";
import { faultsFor } from "@agent-history/format-kit";
import { describe, expect, it } from "vitest";

import { readAny } from "../test-messages/read-any.ts";
import { anthropicTarget } from "./anthropic-messages.ts";
import { toAnthropicMessages } from "./anthropic-messages.ts";

const caller = { type: "code_execution_20260120", tool_id: "srvtoolu_1" };
const call = (id: string): object => ({ type: "tool_use", id, name: "read", input: {}, caller });
const result = (id: string): object => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: id, content: "text" }],
});
const program = { type: "server_tool_use", id: "srvtoolu_1", name: "code_execution", input: {} };
const output = {
  type: "code_execution_tool_result",
  tool_use_id: "srvtoolu_1",
  content: { type: "code_execution_result", stdout: "Both.", stderr: "", return_code: 0 },
};
const messages = [
  { role: "user", content: "Read both." },
  { role: "assistant", content: [program, call("c1")] },
  result("c1"),
  { role: "assistant", content: [call("c2")] },
  result("c2"),
  { role: "assistant", content: [output, { type: "text", text: "Done." }] },
  { role: "user", content: "Thanks." },
];

describe("a program of Anthropic's, its calls and what it gave in a later answer", () => {
  it("are one exchange, and are given back as they came", () => {
    const entries = readAny(messages);
    const exchanges = groupExchanges(entries).filter((group) => group.kind === "exchange");

    expect(exchanges).toMatchObject([
      {
        entries: [
          { toolCalls: [{ id: "srvtoolu_1" }, { id: "c1", callerId: "srvtoolu_1" }] },
          { callId: "c1" },
          { toolCalls: [{ id: "c2" }] },
          { callId: "c2" },
          { callId: "srvtoolu_1", toolName: "code_execution", outcome: "success" },
        ],
        running: false,
        unanswered: [],
      },
    ]);
    expect(checkHistory(entries)).toEqual([]);
    expect(toAnthropicMessages(entries)).toEqual(messages);
    expect(faultsFor(anthropicTarget(), entries)).toEqual([]);
  });

  it("are one exchange where nothing else was called, too", () => {
    const paused = [
      { role: "user", content: "Count." },
      { role: "assistant", content: [program] },
      { role: "assistant", content: [output, { type: "text", text: "Two." }] },
    ];
    const entries = readAny(paused);

    expect(entries.map(({ type }) => type)).toEqual([
      "user_message",
      "action",
      "observation",
      "assistant_message",
    ]);
    expect(groupExchanges(entries)).toHaveLength(3);
    expect(toAnthropicMessages(entries)).toEqual(paused);
  });

  it("wait for each other, while the program runs", () => {
    const entries = readAny(messages.slice(0, 2));

    expect(groupExchanges(entries).at(-1)).toMatchObject({
      running: true,
      unanswered: [{ id: "srvtoolu_1" }, { id: "c1" }],
    });
  });

  it("are repaired by an answer that says so, where what it gave was lost", () => {
    const [asked, called] = messages;
    const { entries } = repairHistory(
      readAny([...(asked && called ? [asked, called] : []), messages.at(-1) ?? {}]),
    );

    const shown = toAnthropicMessages(entries);
    // What the program had called is answered before the program.
    expect(shown[2]).toMatchObject({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "c1", is_error: true }],
    });
    expect(shown[3]).toEqual({
      role: "assistant",
      content: [
        {
          type: "code_execution_tool_result",
          tool_use_id: "srvtoolu_1",
          content: { type: "code_execution_tool_result_error", error_code: "unavailable" },
        },
      ],
    });
    expect(faultsFor(anthropicTarget(), readAny(shown))).toEqual([]);
  });

  it("are repaired by leaving out what no call is known of", () => {
    const { entries } = repairHistory(readAny(messages.slice(5)));

    expect(toAnthropicMessages(entries)).toEqual([
      { role: "assistant", content: [{ type: "text", text: "Done." }] },
      { role: "user", content: "Thanks." },
    ]);
  });
});
