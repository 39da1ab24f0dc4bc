import { userMessage } from "@agent-history/core";
import { repairFor } from "@agent-history/format-kit";
import { lawRuns } from "@agent-history/testkit";
import { arbitraryDamagedMessages } from "@agent-history/testkit/format";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { anthropicPage } from "../test-messages/pages/message-page.ts";
import { anthropicStrangePage } from "../test-messages/pages/strange-page.ts";
import { readAny } from "../test-messages/read-any.ts";
import { anthropicTarget, checkAnthropicMessages, toAnthropicRequest } from "./index.ts";
import type { AnthropicRuleOptions } from "./index.ts";

const asks = { role: "user", content: "Which flights?" };
const on = { role: "user", content: "Go on." };
const says = (...content: readonly object[]) => ({ role: "assistant", content });
const user = (...content: readonly object[]) => ({ role: "user", content });
const text = { type: "text", text: "Two." };
const thought = { type: "thinking", thinking: "Hm.", signature: "SIG" };
const use = (id: string, input: unknown = {}) => ({ type: "tool_use", id, name: "look", input });
const result = (id: string, rest: object = {}) => ({
  type: "tool_result",
  tool_use_id: id,
  content: "Nine.",
  ...rest,
});
const image = { type: "image", source: { type: "url", url: "https://a.example/p.png" } };
const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} };
const found = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] };
const searched = [search, found];
const mark = { cache_control: { type: "ephemeral" } };

describe("anthropicTarget", () => {
  it("makes messages in which nothing is left to repair, of messages in any order, damaged, with anything lost", () => {
    const damaged = arbitraryDamagedMessages([...anthropicPage, ...anthropicStrangePage]);
    fc.assert(
      fc.property(damaged, (messages) => {
        const target = anthropicTarget();
        const once = repairFor(target, readAny(messages));
        const twice = repairFor(target, once.entries);
        expect(twice.repairs).toEqual([]);
        expect(twice.entries).toBe(once.entries);
      }),
      { numRuns: lawRuns(100) },
    );
  });

  it.each([
    ["thinking alone", [says(thought)]],
    ["thinking without a signature", [says({ type: "thinking", thinking: "Hm." }, text)]],
    ["thinking with an empty one", [says({ ...thought, signature: "" }, text)]],
    ["thinking behind a text", [says(text, thought)]],
    ["redacted thinking alone", [says({ type: "redacted_thinking", data: "D" })]],
    ["an empty answer", [{ role: "assistant", content: "" }]],
    ["a blank block", [says({ type: "text", text: " " }, text)]],
    ["a call without a result", [says(use("c1"))]],
    ["a result without a call", [user(result("c1"))]],
    ["a second result", [says(use("c1")), user(result("c1"), result("c1"))]],
    ["one id twice", ["c1", "c1"].flatMap((id) => [says(use(id)), user(result(id))])],
    ["empty ids", [says(use(""), use("")), user(result(""), result(""))]],
    ["ids of other characters", [says(use("call|1")), user(result("call|1"))]],
    ["an input that is no object", [says(use("c1", "Rome")), user(result("c1"))]],
    [
      "an image in an error",
      [says(use("c1")), user(result("c1", { content: [image], is_error: true }))],
    ],
    ["an image of an answer", [says(text, image)]],
    ["an answer with a server tool twice", [says(...searched, text), says(...searched, text)]],
    ["a server tool's result twice", [says(...searched, found, text)]],
    ["a server tool of an odd name", [says({ ...search, name: "web/search" }, found, text)]],
    ["a server tool without a name", [says({ ...search, name: null }, found, text)]],
    ["a user's result of a server tool", [says(...searched), user(result("srvtoolu_1"))]],
    [
      "a server tool's result of a user's tool",
      [says(use("c1")), says({ ...found, tool_use_id: "c1" })],
    ],
    ["a breakpoint of no kind", [user({ ...text, cache_control: {} })]],
    [
      "a document of no kind",
      [user({ type: "document", source: { type: "text", media_type: 0, data: "To Rome." } })],
    ],
    [
      "a text document of another kind",
      [user({ type: "document", source: { type: "text", media_type: "", data: "To Rome." } })],
    ],
    ["half a surrogate pair", [user({ type: "text", text: "Rome \ud83c" })]],
    ["half of one in an input", [says(use("c1", { a: "\ud83c" })), user(result("c1"))]],
    ["fields of an answer", [{ ...says(text), id: "msg_1", stop_reason: "end_turn" }]],
    ["a field of another provider", [says({ ...text, parsed: {} })]],
    ["five breakpoints", [user(...Array.from({ length: 5 }, () => ({ ...text, ...mark })))]],
    ["a breakpoint on thinking", [says({ ...thought, ...mark }, text)]],
    [
      "a system message between call and result",
      [says(use("c1")), { role: "system", content: "Be brief." }, user(result("c1"))],
    ],
  ])("repairs %s, with all that users and tools said", (_, broken: readonly { role: string }[]) => {
    const messages = [asks, ...broken, on];
    const { messages: sent } = toAnthropicRequest(readAny(messages));
    const words = (all: readonly object[]): readonly string[] =>
      JSON.stringify(all.filter((one) => "role" in one && one.role === "user")).match(
        /Nine|Rome|Go on|Which/gu,
      ) ?? [];

    expect(checkAnthropicMessages(messages)).not.toEqual([]);
    expect(checkAnthropicMessages(sent)).toEqual([]);
    expect(words(sent)).toEqual(words(messages));
  });

  it("pairs calls and results without ids in their order", () => {
    const broken = [
      asks,
      says(use(""), use("")),
      user(result(""), result("", { content: "Noon." })),
    ];
    const [, calls, results] = toAnthropicRequest(readAny(broken)).messages;

    expect(calls?.content).toMatchObject([{ id: "call_1_0" }, { id: "call_1_1" }]);
    expect(results?.content).toMatchObject([
      { tool_use_id: "call_1_0", content: "Nine." },
      { tool_use_id: "call_1_1", content: "Noon." },
    ]);
  });

  it("takes reasoning in what a user is shown to say for text", () => {
    const origin = { format: "anthropic", message: "m1", index: 0 };
    const rendered = [{ type: "reasoning", text: "Rome is near." }] as const;
    const asked = userMessage({ content: "Which flights?", rendered, origin });

    const { entries } = repairFor(anthropicTarget(), [asked]);

    expect(toAnthropicRequest(entries).messages).toEqual([
      user({ type: "text", text: "[reasoning] Rome is near." }),
    ]);
  });

  it("lets an answer stand last where the model goes on with it", () => {
    const sent = (options: AnthropicRuleOptions) =>
      toAnthropicRequest(readAny([asks, { role: "assistant", content: "Two: " }]), options)
        .messages;

    expect(sent({}).at(-1)).toEqual({ role: "user", content: "(Continue.)" });
    expect(sent({ prefill: true }).at(-1)).toEqual({ role: "assistant", content: "Two:" });
  });

  it("gives back a valid history by identity", () => {
    const entries = readAny([asks, says(thought, use("c1")), user(result("c1")), says(text), on]);

    expect(repairFor(anthropicTarget(), entries)).toEqual({ entries, repairs: [] });
    expect(repairFor(anthropicTarget(), entries).entries).toBe(entries);
  });

  it("leaves the names of tools of MCP servers as they are", () => {
    const used = { type: "mcp_tool_use", id: "mcptoolu_1", name: "mcp.look", input: {} };
    const given = { type: "mcp_tool_result", tool_use_id: "mcptoolu_1", content: [] };
    const called = { ...used, server_name: "s" };

    expect(checkAnthropicMessages([asks, says(called, given, text), on])).toEqual([]);
    expect(checkAnthropicMessages([asks, says(called), says(given, text), on])).toEqual([]);
  });
});
