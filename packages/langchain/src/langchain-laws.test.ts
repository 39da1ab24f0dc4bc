import type { HistoryEntry, Viewer } from "@agent-history/core";
import { checkHistory } from "@agent-history/core/check";
import { describeMessageFormat } from "@agent-history/testkit/format";
import { describe, expect, it } from "vitest";

import { asStored } from "../test-messages/as-stored.ts";
import { chatOf, unpairedIn } from "../test-messages/chat-of.ts";
import { langChainPage } from "../test-messages/pages/message-page.ts";
import { langChainStrangePage } from "../test-messages/pages/strange-page.ts";
import { fromMessages, toMessages } from "./messages.ts";

describeMessageFormat(
  "LangChain's messages",
  {
    read: (messages, options) => fromMessages(messages, options),
    // Written anew: entries that are still the same objects are the messages that they came from.
    write: (entries: readonly HistoryEntry[], viewer?: Viewer) =>
      toMessages(asStored(entries), { viewer }),
    userMessage: (content) => ({ role: "user", content }),
    knownMessages: langChainPage,
    strangeMessages: langChainStrangePage,
    problems: (messages) => unpairedIn(chatOf(messages)),
  },
  {
    runs: 60,
  },
);

describe("fromMessages", () => {
  it("reads each message as the entry it is", () => {
    expect(fromMessages(langChainPage).map(({ type }) => type)).toEqual([
      "system_message",
      "system_message",
      "user_message",
      "user_message",
      "action",
      "observation",
      "observation",
      "action",
      "observation",
      "observation",
      "action",
      "observation",
      "action",
      "user_message",
      "system_message",
      "user_message",
      "action",
      "observation",
      "action",
      "observation",
      "user_message",
      "assistant_message",
    ]);
  });

  it("reads the calls of plain chat messages, which LangChain converts, and writes them back", () => {
    const called = (to: string) => ({
      id: "c1",
      type: "function",
      function: { name: "find", arguments: `{ "to": "${to}" }` },
    });
    const messages = [
      { role: "user", content: "Which flights?" },
      { role: "assistant", content: null, tool_calls: [called("Rome")] },
      { role: "tool", tool_call_id: "c1", content: "Two." },
    ];
    const entries = fromMessages(messages);
    expect(entries[1]).toMatchObject({
      type: "action",
      toolCalls: [{ id: "c1", name: "find", arguments: '{ "to": "Rome" }' }],
    });
    expect(entries[2]).toMatchObject({ type: "observation", callId: "c1", toolName: "find" });
    expect(toMessages(asStored(entries))).toEqual(messages);
    const changed = entries.map((entry) =>
      entry.type === "action"
        ? { ...entry, toolCalls: entry.toolCalls.map((call) => ({ ...call, arguments: "{}" })) }
        : entry,
    );
    expect(toMessages(changed)[1]).toMatchObject({
      tool_calls: [{ id: "c1", type: "function", function: { name: "find", arguments: "{}" } }],
    });
  });

  it("takes a call's arguments word for word from OpenAI's list, and a result's outcome from its status", () => {
    expect(fromMessages(langChainPage.slice(4, 7))).toMatchObject([
      {
        toolCalls: [
          { id: "call_a", arguments: '{ "to": "Rome", "seats": 2 }' },
          { id: "call_b", arguments: "{}" },
        ],
      },
      { callId: "call_a", toolName: "find_flights", outcome: "success" },
      { callId: "call_b", toolName: "read_page", outcome: "error" },
    ]);
  });
});

describe("toMessages", () => {
  it("gives the same message object for an entry that is still the same", () => {
    const messages = structuredClone(langChainPage);
    const entries = fromMessages(messages);

    for (const [index, message] of toMessages(entries).entries()) {
      expect(message).toBe(messages[index]);
    }
    const again = structuredClone(langChainPage);
    expect(toMessages(fromMessages(again))[0]).toBe(again[0]);
    expect(toMessages(entries)[0]).toBe(messages[0]);
  });

  it("writes changed arguments at each place where a provider's message has them", () => {
    const [entry] = fromMessages(langChainPage.slice(4, 5));
    const [other] = fromMessages(langChainPage.slice(7, 8));
    const cleared = [entry, other].map((one) =>
      one?.type === "action"
        ? { ...one, toolCalls: one.toolCalls.map((call) => ({ ...call, arguments: "{}" })) }
        : undefined,
    );

    const written = JSON.stringify(toMessages(cleared.filter((one) => one !== undefined)));
    expect(written).not.toContain("Rome");
    expect(written).not.toContain("Ostia");
    expect(written).toContain('"input":{}');
  });

  it.each([
    ["edited", [findCall("c1", "Rome"), findCall("c2", "Oslo")]],
    ["rejected", [findCall("c2", "Lyon")]],
  ])(
    "takes calls that a person %s as the message says them, not as the provider's copy does",
    (_, calls) => {
      const raw = [findCall("c1", "Rome"), findCall("c2", "Lyon")].map(({ id, name, args }) => ({
        id,
        type: "function",
        function: { name, arguments: JSON.stringify(args) },
      }));
      const message = {
        type: "ai",
        content: "",
        tool_calls: calls,
        additional_kwargs: { tool_calls: raw },
      };
      const results = calls.map(({ id }) => ({ type: "tool", tool_call_id: id, content: "Two." }));
      const messages = [{ type: "human", content: "Where to?" }, message, ...results];
      const entries = fromMessages(messages);
      expect(checkHistory(entries)).toEqual([]);
      expect(entries[1]).toMatchObject({
        type: "action",
        toolCalls: calls.map(({ id, args }) => ({ id, arguments: JSON.stringify(args) })),
      });
      expect(toMessages(entries)).toEqual(messages);
    },
  );

  it("leaves out OpenAI's copy of an answer whose calls a person changed: LangChain would send that", () => {
    const items = ["Rome", "Lyon"].map((to, at) => ({
      type: "function_call",
      call_id: `c${at}`,
      name: "find",
      arguments: JSON.stringify({ to }),
    }));
    const metadata = { id: "resp_1", output: items };
    const message = {
      type: "ai",
      content: "",
      tool_calls: [findCall("c0", "Rome")],
      response_metadata: metadata,
    };
    const result = { type: "tool", tool_call_id: "c0", content: "Two." };
    const [, sent] = toMessages(fromMessages([{ type: "human", content: "?" }, message, result]));
    expect(sent).toEqual({ ...message, response_metadata: { id: "resp_1" } });
    const whole = { ...message, tool_calls: [findCall("c0", "Rome"), findCall("c1", "Lyon")] };
    const results = [result, { ...result, tool_call_id: "c1" }];
    const [, kept] = toMessages(fromMessages([{ type: "human", content: "?" }, whole, ...results]));
    expect(kept).toBe(whole);
  });

  it("shows a recall block and a summary at the beginning of the user's message that follows", () => {
    const [question] = fromMessages([{ role: "user", content: "To Rome, please.", id: "h1" }]);
    const block: HistoryEntry = {
      id: "m1",
      type: "memory",
      createdAtMs: 0,
      content: "Ann likes windows.",
    };

    expect(toMessages([block, ...(question ? [question] : [])])).toEqual([
      {
        type: "human",
        id: "h1",
        content: [
          { type: "text", text: "Ann likes windows." },
          { type: "text", text: "To Rome, please." },
        ],
      },
    ]);
  });
});

function findCall(id: string, to: string) {
  return { name: "find", args: { to }, id, type: "tool_call" };
}
