import { repairFor } from "@agent-history/format-kit";
import { describe, expect, it } from "vitest";

import { fromMessages, langChainTarget, toMessages } from "./index.ts";
import type { LangChainProvider } from "./index.ts";

const asks = { type: "human", content: "Write it." };
const on = { type: "human", content: "Go on." };
const cut = '{"path":"a.txt","text":"unfin';
const raw = { id: "call_7", type: "function", function: { name: "write", arguments: cut } };
const malformed = {
  type: "ai",
  content: "",
  tool_calls: [],
  invalid_tool_calls: [
    { type: "invalid_tool_call", id: "call_7", name: "write", args: cut, error: "Malformed args." },
  ],
  additional_kwargs: { tool_calls: [raw] },
};
const answer = { type: "tool", tool_call_id: "call_7", content: "Cut off.", status: "error" };

describe("langChainTarget", () => {
  it("keeps a malformed call with its answer as it is where its raw copy is sent", () => {
    const messages = [asks, malformed, answer, on];

    expect(repaired(messages, "openai-chat")).toEqual(messages);
  });

  it("answers a malformed call that nobody answered", () => {
    const sent = repaired([asks, malformed, on], "openai-chat");

    expect(sent).toHaveLength(4);
    expect(sent[2]).toMatchObject({ type: "tool", tool_call_id: "call_7", status: "error" });
  });

  it.each([
    ["whose raw copy no model is sent", [malformed, answer], "anthropic"],
    ["without its raw copy", [{ ...malformed, additional_kwargs: {} }, answer], "openai-chat"],
    [
      "beside a valid one",
      [
        { ...malformed, tool_calls: [{ id: "c1", name: "look", args: {} }] },
        answer,
        { type: "tool", tool_call_id: "c1", content: "Seen." },
      ],
      "openai-chat",
    ],
  ] as const)("sends a malformed call %s as a call", (_, broken, provider) => {
    const [, calling, ...results] = repaired([asks, ...broken, on], provider);

    expect(calling).toMatchObject({
      tool_calls: expect.arrayContaining([
        expect.objectContaining({ id: "call_7", args: { _raw: cut } }),
      ]) as unknown,
    });
    expect(calling).not.toHaveProperty("additional_kwargs.tool_calls");
    expect(JSON.stringify(results)).toContain("Cut off.");
  });

  it("gives calls and results without an id one of their place", () => {
    const [, calling, result] = repaired([
      asks,
      { type: "ai", content: "", tool_calls: [{ name: "look", args: {} }] },
      { type: "tool", tool_call_id: "", content: "Seen." },
      on,
    ]);

    expect(calling).toMatchObject({ tool_calls: [{ id: "call_1_0" }] });
    expect(result).toMatchObject({ tool_call_id: "call_1_0", content: "Seen." });
  });
});

function repaired(messages: readonly object[], provider?: LangChainProvider): readonly object[] {
  return toMessages(repairFor(langChainTarget({ provider }), fromMessages(messages)).entries);
}
