import { isHistoryError } from "@agent-history/core";
import { fitForTarget, repairFor } from "@agent-history/format-kit";
import { fitToWindow } from "@agent-history/reducer";
import { lawRuns } from "@agent-history/testkit";
import { arbitraryDamagedMessages } from "@agent-history/testkit/format";
import { tiktokenCounter } from "@agent-history/tokens";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { chatPage } from "../test-messages/chat/pages/chat-page.ts";
import { chatStrangePage } from "../test-messages/chat/pages/chat-strange-page.ts";
import { responsePage } from "../test-messages/responses/pages/response-page.ts";
import { responseStrangePage } from "../test-messages/responses/pages/response-strange-page.ts";
import {
  chatTarget,
  checkChatMessages,
  checkResponseItems,
  fromChatMessages,
  fromResponseItems,
  responseTarget,
  toChatMessages,
  toResponseItems,
} from "./index.ts";
import type { ChatMessageLike, OpenAIRuleOptions, ResponseItemLike } from "./index.ts";

const RUNS = { numRuns: lawRuns(100) };
const asks = { role: "user", content: "Which flights go to Rome?" };
const on = { role: "user", content: "Go on." };
const called = (id: string, text = "{}") => ({
  id,
  type: "function",
  function: { name: "look", arguments: text },
});

const hosts = [
  ...(["openai", "compatible", "deepseek", "gemini"] as const),
  ...(["groq", "mistral", "openrouter", "vllm"] as const),
];

describe("chatTarget", () => {
  it("makes messages in which nothing is left to repair, of messages in any order, damaged, with anything lost", () => {
    const damaged = arbitraryDamagedMessages([...chatPage, ...chatStrangePage]);
    fc.assert(
      fc.property(damaged, fc.constantFrom(...hosts), (messages, host) => {
        const once = repairedChat(messages as never, { host });
        expect(checkChatMessages(once, { host })).toEqual([]);
        expect(repairedChat(once, { host })).toEqual(once);
      }),
      RUNS,
    );
  });

  it("repairs an answer once, whichever of its fields say nothing, on every host", () => {
    const field = (...values: readonly unknown[]) => fc.constantFrom(undefined, null, ...values);
    const answer = fc.record({
      role: fc.constant("assistant"),
      content: field("", "  ", "Two.", [], [{ type: "text", text: "" }]),
      refusal: field("", " ", "No."),
      function_call: field({ name: "look", arguments: "{}" }),
      tool_calls: field([], [called("c1")], ["x"]),
      reasoning_content: field("", "Hm."),
      reasoning_details: field([], [{ type: "x" }]),
      audio: field({ id: "a1" }, { transcript: "" }, { transcript: "Two." }),
    });
    fc.assert(
      fc.property(answer, fc.constantFrom(...hosts), (broken, host) => {
        // What is not JSON is not sent.
        const messages: readonly ChatMessageLike[] = JSON.parse(JSON.stringify([asks, broken, on]));
        const once = repairedChat(messages, { host });
        expect(checkChatMessages(once, { host })).toEqual([]);
        expect(repairedChat(once, { host })).toEqual(once);
      }),
      { numRuns: lawRuns(1000) },
    );
  });

  it("repairs results without calls once beside a `function_call`, which has no id", () => {
    const old = {
      role: "assistant",
      content: null,
      function_call: { name: "look", arguments: "{}" },
    };
    const once = repairedChat([
      asks,
      { role: "tool", content: "2" },
      old,
      { role: "function", content: "3" },
      on,
    ]);

    expect(repairedChat(once)).toEqual(once);
  });

  it("gives DeepSeek a text for lost thoughts that came as `null`", () => {
    const answer = { role: "assistant", content: "Two.", reasoning_content: null };

    expect(repairedChat([asks, answer, on], { host: "deepseek" })[1]).toEqual({
      ...answer,
      reasoning_content: "",
    });
  });

  it.each([
    [
      "a call without an answer",
      [{ role: "assistant", content: null, tool_calls: [called("c1")] }],
    ],
    ["an answer without its call", [{ role: "tool", tool_call_id: "c1", content: "Two flights." }]],
    ["an empty list of calls", [{ role: "assistant", content: "Soon.", tool_calls: [] }]],
    ["an answer of nothing", [{ role: "assistant", content: null }]],
    ["an empty list of parts", [{ role: "user", content: [] }]],
    [
      "a result without parts",
      [
        { role: "assistant", content: null, tool_calls: [called("c1")] },
        { role: "tool", tool_call_id: "c1", content: [] },
      ],
    ],
    [
      "a result without content",
      [
        { role: "assistant", content: null, tool_calls: [called("c1"), called("c2")] },
        { role: "tool", tool_call_id: "c1" },
        { role: "tool", tool_call_id: "c2", content: null },
      ],
    ],
    [
      "a refusal and content of no kind",
      [{ role: "assistant", content: true, refusal: 5, tool_calls: [called("c1")] }],
    ],
    [
      "parts of a `function` message",
      [
        { role: "assistant", content: null, function_call: { name: "look", arguments: "{}" } },
        { role: "function", name: "look", content: [{ type: "text", text: "Two flights." }] },
      ],
    ],
    [
      "an image without an address",
      [{ role: "user", content: [{ type: "image_url", image_url: { url: "p.png" } }] }],
    ],
    ["a refusal of a user", [{ role: "user", content: [{ type: "refusal", refusal: "No." }] }]],
    [
      "words deep in a part of another format",
      [
        { role: "user", content: [{ type: "resource", resource: { text: "Gate 9." } }] },
        { role: "user", content: [{ type: "json", value: { gate: "Gate 10." } }] },
      ],
    ],
    ["a field of an answer", [{ role: "assistant", content: "Two.", parsed: { flights: 2 } }]],
    [
      "thoughts of another provider",
      [{ role: "assistant", content: "2", reasoning_content: "Hm." }],
    ],
    ["half a surrogate pair", [{ role: "user", content: "Rome \ud83c" }]],
    ["an author of two words", [{ role: "user", name: "Ada Lovelace", content: "Hello." }]],
    ["words in a field of another format", [{ role: "user", parts: [{ text: "To Rome." }] }]],
    [
      "a result without an id",
      [
        { role: "assistant", content: null, tool_calls: [called("c1")] },
        { role: "tool", content: "Two flights." },
      ],
    ],
    [
      "ids that are empty",
      [
        { role: "assistant", content: null, tool_calls: [called(""), called("")] },
        { role: "tool", tool_call_id: "", content: "First." },
        { role: "tool", tool_call_id: "", content: "Second." },
      ],
    ],
    [
      "one id twice, and one that is too long",
      ["c1", "c1", "x".repeat(80)].flatMap((id) => [
        { role: "assistant", content: null, tool_calls: [called(id)] },
        { role: "tool", tool_call_id: id, content: "Two flights." },
      ]),
    ],
    [
      "an image in a result",
      [
        { role: "assistant", content: null, tool_calls: [called("c1")] },
        {
          role: "tool",
          tool_call_id: "c1",
          content: [{ type: "image_url", image_url: { url: "https://a.example/p.png" } }],
        },
      ],
    ],
  ])("repairs %s, with all that users and tools said", (_, broken: readonly ChatMessageLike[]) => {
    const messages = [asks, ...broken, on];
    const sent = repairedChat(messages);

    expect(checkChatMessages(messages)).not.toEqual([]);
    expect(checkChatMessages(sent)).toEqual([]);
    expect(wordsOf(sent)).toEqual(expect.arrayContaining([...wordsOf(messages)]));
  });

  it("sends an answer of nothing but an empty refusal as an empty text", () => {
    const empty = { role: "assistant", content: null, refusal: "" };

    expect(repairedChat([asks, empty, on])).toEqual([asks, { ...empty, content: "" }, on]);
    expect(checkChatMessages([asks, { ...empty, content: "Two." }, on])).toEqual([]);
  });

  it("answers `tool_calls` before a `function_call` of the same answer", () => {
    const tool_calls = [called("c1"), called("c2")];
    const both = {
      role: "assistant",
      tool_calls,
      function_call: { name: "look", arguments: "{}" },
    };
    const legacy = { role: "function", name: "look", content: "Two." };
    const result = { role: "tool", tool_call_id: "c2", content: "Three." };
    const sent = repairedChat([asks, both, legacy, result, on]);

    const roles = sent.map(({ role }) => role).join();
    expect(roles).toBe("user,assistant,tool,tool,function,user");
    expect(checkChatMessages(sent)).toEqual([]);
  });

  it("says by rule and place what would be refused, and of a valid history nothing", () => {
    const messages = [asks, { role: "tool", tool_call_id: "c1", content: "Two." }, on];

    expect(checkChatMessages(messages)).toMatchObject([{ rule: "pairing", index: 1 }]);
    expect(checkChatMessages([asks, on])).toEqual([]);
  });

  it("refuses instead of repairing where that is asked for", () => {
    const counter = tiktokenCounter({ encoding: "o200k_base" });
    const request = { window: { contextTokens: 8000 }, counter, repair: "throw" } as const;
    const fit = (messages: readonly ChatMessageLike[]): unknown =>
      fitForTarget(chatTarget(), fromChatMessages(messages), request, fitToWindow);
    const broken = [asks, { role: "tool", tool_call_id: "c1", content: "Two." }];

    expect(fit([asks])).toBeDefined();
    let failure: unknown;
    try {
      fit(broken);
    } catch (error) {
      failure = error;
    }
    expect(isHistoryError(failure, "INVALID_ENTRY")).toBe(true);
  });

  it("gives each host what it takes", () => {
    const calls = { role: "assistant", content: "", tool_calls: [called("call_1", "{cut")] };
    const result = { role: "tool", tool_call_id: "call_1", content: "No." };
    const thought = { role: "assistant", content: "Two.", reasoning_content: "Hm." };
    const sent = (host: OpenAIRuleOptions["host"]) =>
      repairedChat([asks, calls, result, on, thought, on], { host });

    expect(sent("vllm")[1]).toMatchObject({
      tool_calls: [{ function: { arguments: '{"_raw":"{cut"}' } }],
    });
    expect(sent("mistral")[1]).toMatchObject({
      tool_calls: [{ id: expect.stringMatching(/^[a-zA-Z0-9]{9}$/u) as unknown }],
    });
    expect(sent("mistral")[3]).toMatchObject({ role: "assistant" });
    expect(sent("deepseek")[1]).toMatchObject({ reasoning_content: "" });
    expect(sent("deepseek")[4]).toMatchObject({ reasoning_content: "Hm." });
    expect(sent("gemini")[1]).toMatchObject({
      tool_calls: [
        { extra_content: { google: { thought_signature: "skip_thought_signature_validator" } } },
      ],
    });
    expect(sent("groq")[4]).not.toHaveProperty("reasoning_content");
    expect(sent("openai")[1]).toEqual(calls);
  });

  const answer = { role: "assistant", content: "Two." };
  const using = { role: "assistant", content: "", tool_calls: [called("abcdefgh1")] };
  const used = { role: "tool", tool_call_id: "abcdefgh1", content: "Nine." };
  const said = { role: "user", content: "(Continue.)" };
  const received = { role: "assistant", content: "(The results were received.)" };
  const system = { role: "system", content: "Be brief." };
  const signed = { ...answer, reasoning_details: [{ type: "reasoning.text", text: "Hm." }] };
  const legacy = { role: "assistant", function_call: { name: "look", arguments: "{}" } };
  const text = [{ type: "text", text: "Nine." }];
  const picture = { type: "image_url", image_url: { url: "https://a.example/p.png" } };

  it.each([
    ["groq", "fields", [{ ...asks, name: "ada", timestamp: 1 }, answer], [asks, answer]],
    ["mistral", "fields", [{ ...answer, metadata: {}, reasoning_content: "Hm." }], [answer]],
    [
      "groq",
      "a refusal",
      [{ role: "assistant", refusal: "Two." }],
      [{ ...answer, content: [{ type: "text", text: "Two." }] }],
    ],
    ["mistral", "a system message after an answer", [answer, system], [answer, said, system]],
    ["mistral", "one after a result", [using, used, system], [using, used, received, said, system]],
    [
      "deepseek",
      "parts of a result",
      [using, { ...used, content: text }],
      [{ ...using, reasoning_content: "" }, used],
    ],
    [
      "deepseek",
      "an image",
      [{ role: "user", content: [...text, picture] }],
      [{ role: "user", content: [...text, { type: "text", text: "[image]" }] }],
    ],
    ["openrouter", "signed answers in a row", [signed, signed], [signed, said, signed]],
    [
      "gemini",
      "a call after an answer",
      [answer, using, used],
      [answer, said, { ...using, tool_calls: [expect.anything()] }, { ...used, name: "look" }],
    ],
  ] as const)("sends %s no %s that it refuses", (host, _, broken, expected) => {
    const messages: readonly ChatMessageLike[] = [asks, ...broken, on];
    const sent = repairedChat(messages, { host });

    expect(sent.slice(1, 1 + expected.length)).toEqual(expected);
    expect(checkChatMessages(messages, { host })).not.toEqual([]);
    expect(checkChatMessages(sent, { host })).toEqual([]);
  });

  it("sends calls of OpenAI's own kinds as tool calls to other hosts", () => {
    const custom = { id: "c2", type: "custom", custom: { name: "sql", input: "SELECT 1" } };
    const messages = [
      asks,
      legacy,
      { role: "function", name: "look", content: "Nine." },
      { role: "assistant", tool_calls: [custom] },
      { role: "tool", tool_call_id: "c2", content: "Ten." },
    ];
    const sent = repairedChat(messages, { host: "vllm" });

    expect(sent).toMatchObject([
      asks,
      { tool_calls: [{ type: "function", function: { name: "look", arguments: "{}" } }] },
      { role: "tool", content: "Nine." },
      { tool_calls: [{ type: "function", function: { arguments: '{"input":"SELECT 1"}' } }] },
      { role: "tool", content: "Ten." },
    ]);
    expect(sent[1]).not.toHaveProperty("function_call");
    expect(repairedChat(messages)).toEqual(messages);
  });
});

const message = {
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "Two.", annotations: [] }],
};
const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "E" };
const call = { type: "function_call", id: "fc_1", call_id: "c1", name: "look", arguments: "{}" };
const output = { type: "function_call_output", call_id: "c1", output: "Two flights." };

describe("responseTarget", () => {
  it("makes items in which nothing is left to repair, of items in any order, damaged, with anything lost", () => {
    const pages = [...responsePage, ...responseStrangePage];
    const damaged = arbitraryDamagedMessages(pages.filter(({ type }) => type !== "item_reference"));
    fc.assert(
      fc.property(damaged, (items) => {
        const once = repairedItems(items);
        expect(checkResponseItems(once)).toEqual([]);
        expect(repairedItems(once)).toEqual(once);
      }),
      RUNS,
    );
  });

  const computer = { type: "computer_call", call_id: "c2", action: { type: "screenshot" } };
  const screen = { type: "computer_call_output", call_id: "c2" };

  it.each([
    ["reasoning that nothing follows", [reasoning, asks]],
    ["two of them in a row", [reasoning, { ...reasoning, id: "rs_2" }, asks]],
    ["reasoning behind a result", [call, output, reasoning]],
    [
      "a result of another kind than its call",
      [{ type: "apply_patch_call", call_id: "c1", operation: {} }, output],
    ],
    ["reasoning without a summary", [{ ...reasoning, summary: undefined }, message]],
    [
      "half a surrogate pair in reasoning",
      [{ ...reasoning, summary: [{ type: "summary_text", text: "Hm \ud83c" }] }, message],
    ],
    [
      "a field at the second message of an answer",
      [call, message, { ...message, id: "msg_2", usage: {}, reasoning_content: "Hm." }, output],
    ],
    ["a field of another provider at reasoning", [{ ...reasoning, usage: {} }, message]],
    [
      "a field of an answer that is one text",
      [{ role: "assistant", content: "Two.", annotations: [] }],
    ],
    ["an answer that was stored twice", [message, message]],
    ["a turn that was stored twice", [reasoning, call, output, reasoning, call, output]],
    ["another answer of the same id", [message, asks, { ...message, content: "One." }]],
    ["an id of another kind", [{ ...call, id: "call_1" }, output]],
    ["a field of an answer", [{ ...call, parsed_arguments: {} }, output]],
    ["a call without its output", [call]],
    ["an output without its call", [output]],
    [
      "an output of parts of another API",
      [call, { ...output, output: [{ type: "text", text: "2" }] }],
    ],
    [
      "a field of an answer in what a user says",
      [{ role: "user", content: [{ type: "input_text", text: "2", logprobs: null }] }],
    ],
    [
      "reasoning with the id of an approval",
      [
        { ...reasoning, id: "rs_9" },
        { type: "mcp_approval_request", id: "rs_9", name: "look", arguments: "{}" },
        { type: "mcp_approval_response", approval_request_id: "rs_9", approve: true },
      ],
    ],
    [
      "half a surrogate pair in a patch",
      [
        { type: "apply_patch_call", call_id: "c3", operation: { path: "\ud83c" } },
        { type: "apply_patch_call_output", call_id: "c3", status: "completed", output: "Done." },
      ],
    ],
    ["words in place of a screenshot", [computer, { ...screen, output: "Not allowed." }]],
    ["an output without a screenshot", [computer, screen]],
    ["arguments that are no text", [{ ...call, arguments: { to: "Rome" } }, output]],
    ["a text that a user writes", [{ ...message, content: [{ type: "input_text", text: "2" }] }]],
  ])("repairs %s, with all that users and tools said", (_, broken: readonly ResponseItemLike[]) => {
    const items = [asks, ...broken, on];
    const sent = repairedItems(items);

    expect(checkResponseItems(items)).not.toEqual([]);
    expect(checkResponseItems(sent)).toEqual([]);
    expect(wordsOf(sent)).toEqual(expect.arrayContaining([...wordsOf(items)]));
    const ids = sent.flatMap((item) => ("id" in item ? [item.id] : []));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("leaves the names of tools that the provider runs as they are", () => {
    const request = { type: "mcp_approval_request", id: "mcpr_1", name: "mcp.look" };
    const answer = { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true };
    const items = [asks, { ...request, arguments: "{}", server_label: "s" }, answer];

    expect(checkResponseItems(items)).toEqual([]);
    expect(checkResponseItems([asks, { ...call, name: "mcp.look" }, output])).toMatchObject([
      { rule: "tool-name" },
      { rule: "tool-name" },
    ]);
  });

  it("sends no id of an answer whose reasoning is not valid text", () => {
    const broken = { ...reasoning, summary: [{ type: "summary_text", text: "Hm \ud83c" }] };

    expect(repairedItems([asks, broken, message, on])[1]).not.toHaveProperty("id");
  });

  it("sends no id of an answer a part of whose reasoning is lost", () => {
    const lost = { ...reasoning, id: "rs_9", encrypted_content: undefined };
    const answer = [lost, call, reasoning, message, output];
    const target = responseTarget({ store: false });
    const { entries } = repairFor(target, fromResponseItems([asks, ...answer, on]));

    const sent = toResponseItems(entries);
    expect(sent.filter((item) => "id" in item)).toEqual([reasoning]);
  });

  it("leaves no copy the id that an answer loses with its copied reasoning", () => {
    const items = [asks, reasoning, call, output, reasoning, message, message, on];
    const { entries } = repairFor(responseTarget(), fromResponseItems(items));

    const messages = toResponseItems(entries).filter(({ type }) => type === "message");
    expect(messages.some((item) => "id" in item)).toBe(false);
  });

  it("takes a text that is in no message for nobody's answer", () => {
    const part = { type: "input_text", text: "To Rome." };

    expect(repairedItems([asks, message, part, on])[2]).toEqual({
      role: "user",
      content: "To Rome.",
    });
  });

  it("refuses items that only the server has, by name", () => {
    const reference = { type: "item_reference", id: "msg_9" };

    expect(() => repairedItems([asks, reference, on])).toThrow(/item_reference/u);
  });
});

function repairedChat(messages: readonly ChatMessageLike[], options: OpenAIRuleOptions = {}) {
  return toChatMessages(repairFor(chatTarget(options), fromChatMessages(messages)).entries);
}

function repairedItems(items: readonly ResponseItemLike[]) {
  return toResponseItems(repairFor(responseTarget(), fromResponseItems(items)).entries);
}

/** The words of users and tools, but for half a surrogate pair. */
function wordsOf(messages: readonly object[]): readonly string[] {
  return messages.flatMap((one) => {
    const {
      role,
      content,
      output: given,
    }: { role?: unknown; content?: unknown; output?: unknown } = one;
    const texts = role === "user" || role === "tool" ? [content] : [given];
    return texts.flatMap((text) =>
      typeof text === "string" ? (text.match(/[A-Za-z]+/gu) ?? []) : [],
    );
  });
}
