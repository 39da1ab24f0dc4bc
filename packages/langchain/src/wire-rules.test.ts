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

const look = { type: "tool_call", id: "c1", name: "look", args: {} };
const seen = { type: "tool", tool_call_id: "c1", content: "Seen." };

describe("langChainTarget", () => {
  it("answers a malformed call that nobody answered", () => {
    const sent = repaired([asks, malformed, on], "openai-chat");

    expect(sent).toHaveLength(4);
    expect(sent[2]).toMatchObject({ type: "tool", tool_call_id: "call_7", status: "error" });
  });

  it.each([
    ["whose raw copy no model is sent", [malformed, answer], "anthropic"],
    ["with its raw copy", [malformed, answer], "openai-chat"],
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
    expect(JSON.stringify(results)).toContain("Cut off.");
  });

  it("keeps a result of an unknown status with its call", () => {
    const late = { ...seen, status: "late" };
    const messages = [asks, { type: "ai", content: "", tool_calls: [look] }, late, on];

    expect(repaired(messages, "anthropic")).toEqual(messages);
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

  it.each([
    ["anthropic", { content: [{ type: "tool_use", id: "c1", name: "look", input: {} }] }],
    [
      "anthropic",
      {
        content: [
          { type: "tool_use", id: "c1", name: "look", input: "", index: 0 },
          { type: "input_json_delta", input: "{}", index: 0 },
        ],
      },
    ],
    [
      "openai-responses",
      {
        content: "",
        additional_kwargs: { reasoning: { id: "rs_1", type: "reasoning", summary: [] } },
      },
    ],
  ] as const)("leaves an answer of calls alone as it is: %s", (provider, said) => {
    const calling = { type: "ai", tool_calls: [look], ...said };
    const messages = [asks, calling, seen, on];
    const { repairs } = repairFor(langChainTarget({ provider }), fromMessages(messages));

    expect(repairs).toEqual([]);
    expect(repaired(messages, provider)).toEqual(messages);
  });

  it.each([
    ["whose arguments are cut off", cut, { _raw: cut }],
    ["without arguments", "", {}],
  ])("sends a plain message's call %s with an arguments object", (_, text, args) => {
    const called = { ...raw, id: "c1", function: { name: "write", arguments: text } };
    const plain = { role: "assistant", content: "", tool_calls: [called] };
    const [, calling, result] = repaired([asks, plain, seen, on]);

    expect(calling).toMatchObject({ tool_calls: [{ id: "c1", name: "write", args }] });
    expect(calling).not.toHaveProperty("tool_calls.0.function");
    expect(result).toEqual(seen);
  });

  it.each([
    { ...look, args: null },
    { ...look, args: '{"at":"the ' },
    { ...look, args: [7] },
    { ...look, name: "" },
  ])("keeps a call with its result where it says no name or no object: %j", (call) => {
    for (const provider of ["anthropic", "openai-chat", "openai-responses"] as const) {
      const broken = [asks, { type: "ai", content: "", tool_calls: [call] }, seen, on];
      const [, calling, result, ...rest] = repaired(broken, provider);

      expect(calling).toMatchObject({
        tool_calls: [
          {
            id: "c1",
            name: expect.stringMatching(/./) as string,
            args: expect.any(Object) as object,
          },
        ],
      });
      expect(result).toMatchObject({ tool_call_id: "c1", content: "Seen." });
      expect(rest).toEqual([on]);
      expect(repaired([asks, calling ?? on, seen, on], provider)).toEqual([
        asks,
        calling,
        seen,
        on,
      ]);
    }
  });

  it("answers the calls of OpenAI's list where the message lists none, and reads blocks of calls so, too", () => {
    const stale = {
      type: "ai",
      content: "Done.",
      tool_calls: [],
      additional_kwargs: { tool_calls: [raw] },
    };
    const [, said, given] = repaired([asks, stale, on], "openai-chat");

    expect(said).toMatchObject({ content: "Done.", tool_calls: [{ id: "call_7" }] });
    expect(given).toMatchObject({ type: "tool", tool_call_id: "call_7", status: "error" });
    const use = { type: "tool_use", id: "c1", name: "look", input: {} };
    const unlisted = { type: "ai", content: [use], tool_calls: [] };
    expect(repaired([asks, unlisted, seen, on], "openai-chat")[1]).toMatchObject({
      tool_calls: [{ id: "c1", name: "look" }],
    });
  });

  it("names no item of Responses twice where an answer came twice", () => {
    const output = [
      { id: "msg_1", type: "message", content: [{ type: "output_text", text: "Two." }] },
    ];
    const once = { type: "ai", id: "msg_1", content: "Two.", response_metadata: { output } };
    const [, first, , second] = repaired([asks, once, on, once, on], "openai-responses");

    expect(first).toMatchObject(once);
    expect(second).toMatchObject({ content: "Two." });
    expect(JSON.stringify(second)).not.toContain("msg_1");
  });

  it("leaves the newest four cache marks for Anthropic", () => {
    const mark = { cache_control: { type: "ephemeral" } };
    const cached = { type: "human", content: [{ type: "text", text: "Go on.", ...mark }] };
    const said = { type: "ai", content: "Yes." };
    const use = { type: "tool_use", id: "c1", name: "look", input: {}, ...mark };
    const called = [{ type: "ai", content: [use], tool_calls: [look] }, seen];
    const all = [...called, ...Array.from({ length: 6 }, () => [cached, said]).flat()];
    const sent = JSON.stringify(repaired([...all, cached], "anthropic"));

    expect(sent.split("cache_control")).toHaveLength(5);
  });

  it("leaves out thinking behind the last call, and thinking whose signature is empty", () => {
    const use = { type: "tool_use", id: "c1", name: "look", input: {} };
    const thought = { type: "thinking", thinking: "So.", signature: "c2ln" };
    const contents = [
      [use, thought],
      [{ ...thought, signature: "" }, use],
    ];
    for (const content of contents) {
      const calling = { type: "ai", content, tool_calls: [look] };
      expect(repaired([asks, calling, seen, on], "anthropic")[1]).toMatchObject({ content: [use] });
    }
    const twice = { type: "ai", content: [thought, use, thought], tool_calls: [look] };
    const whole = [asks, { ...twice, content: [thought, use] }, seen, on];
    expect(repaired([asks, twice, seen, on], "anthropic")).toEqual(whole);
    expect(repaired(whole, "anthropic")).toEqual(whole);
  });

  it("sends no empty list of a result to chat completions, and no block of an answer as a user's", () => {
    const calling = { type: "ai", content: "", tool_calls: [look] };
    const [, , result] = repaired([asks, calling, { ...seen, content: [] }, on], "openai-chat");
    expect(result).toMatchObject({ content: "" });

    const said = { type: "text", text: "Hello." };
    const odd = [
      { type: "thinking", thinking: "Hm." },
      { type: "text-plain", text: "How far?", mimeType: "text/plain" },
      { type: "tool_result", content: "Far." },
    ];
    const [asked] = repaired([{ type: "human", content: [said, ...odd, null] }], "openai-chat");
    expect(JSON.stringify(asked)).not.toMatch(/"(?:thinking|text-plain|tool_result)"|null/u);
    expect(JSON.stringify(asked)).toMatch(/Hm\..*How far.*Far\./u);
  });

  it("sends chat completions no block of another API, but its words", () => {
    const said = { type: "text", text: "Found." };
    const source = { type: "base64", media_type: "application/pdf", data: "AAAA" };
    const foreign = [
      { type: "server_tool_use", id: "srvtoolu_1", name: "search", input: {} },
      { type: "non_standard", value: { at: 1 } },
      { type: "executableCode", executableCode: {} },
    ];
    const [asked, answered] = repaired(
      [
        {
          type: "human",
          content: [
            { type: "text", text: "Read." },
            { type: "document", source },
          ],
        },
        { type: "ai", content: [said, ...foreign, { type: "refusal", refusal: "No." }] },
        on,
      ],
      "openai-chat",
    );

    expect(JSON.stringify([asked, answered])).not.toMatch(/"(?:document|srv|non_st|execut)/u);
    expect(answered).toMatchObject({ content: [said, { type: "refusal" }] });
  });

  it("sends Anthropic no block that its class drops, and no empty message or last thinking for it", () => {
    const audio = { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } };
    const thought = { type: "thinking", thinking: "Hm.", signature: "a" };
    const document = { type: "document", source: { type: "text", data: "A" } };
    const messages = [
      { ...asks, content: [audio, document] },
      { type: "ai", content: [{ type: "text", text: "Yes." }, thought, { type: "citation" }] },
      on,
    ];

    expect(repaired(messages, "anthropic")).toEqual([
      { ...asks, content: [{ type: "text", text: "[input_audio]" }, document] },
      { type: "ai", content: [{ type: "text", text: "Yes." }] },
      on,
    ]);
    const standard = {
      type: "ai",
      content: [{ type: "server_tool_call", id: "s1", name: "web_search", args: {} }],
      response_metadata: { output_version: "v1" },
    };
    expect(repaired([asks, standard, on], "anthropic")).toEqual([asks, standard, on]);
  });

  it("leaves no cache mark on thinking", () => {
    const thought = { type: "thinking", thinking: "Hm.", signature: "a" };
    const marked = { ...thought, cache_control: { type: "ephemeral" } };
    const said = (one: object): object => ({ type: "ai", content: [one], tool_calls: [look] });

    expect(repaired([asks, said(marked), seen, on], "anthropic")[1]).toEqual(said(thought));
  });

  it("sends chat completions no empty list of blocks beside reasoning in its own field", () => {
    const calling = {
      type: "ai",
      content: [{ type: "citation" }],
      tool_calls: [look],
      additional_kwargs: { reasoning: { id: "rs_1", type: "reasoning", summary: [] } },
      response_metadata: { output: [{ type: "reasoning", id: "rs_1", summary: [] }] },
    };

    expect(repaired([asks, calling, seen, on], "openai-chat")[1]).toMatchObject({ content: "" });
  });

  it("gives a call of OpenAI's list without a name one", () => {
    const nameless = { ...raw, function: { name: "", arguments: "{}" } };
    const kwargs = { tool_calls: [nameless] };
    const calling = { type: "ai", content: "So.", tool_calls: [], additional_kwargs: kwargs };
    const sent = repaired([asks, calling, answer, on], "openai-chat");

    expect(sent).toHaveLength(4);
    expect(sent[1]).toMatchObject({
      tool_calls: [{ id: "call_7", name: "unknown_tool" }],
    });
    expect(JSON.stringify(sent)).not.toContain("not recorded");
  });

  it("gives chat completions the URL of an image in an object", () => {
    const image = (image_url: unknown): object => ({
      type: "human",
      content: [{ type: "image_url", image_url }],
    });
    const url = "https://example.com/a.png";

    expect(repaired([image(url)], "openai-chat")).toEqual([image({ url })]);
    expect(repaired([image(url)], "anthropic")).toEqual([image(url)]);
  });

  it("gives Anthropic's class a message with a role of its own by that role", () => {
    const messages = [{ type: "generic", role: "user", content: "Hello." }];

    expect(repaired(messages, "anthropic")).toMatchObject([{ type: "human", content: "Hello." }]);
    expect(repaired(messages, "openai-chat")).toEqual(messages);
  });

  it("leaves out a call of Anthropic's own tools that was cut off, and a result without its call", () => {
    const said = { type: "text", text: "I search." };
    const searched = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} };
    const found = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] };
    const ai = (...content: readonly object[]): object => ({ type: "ai", content });
    const sent = (...content: readonly object[]): object | undefined =>
      repaired([asks, ai(...content), on], "anthropic")[1];

    expect(sent(said, searched)).toEqual(ai(said));
    expect(sent(said, found)).toEqual(ai(said));
    expect(sent(said, searched, found)).toEqual(ai(said, searched, found));
  });
});

function repaired(messages: readonly object[], provider?: LangChainProvider): readonly object[] {
  return toMessages(repairFor(langChainTarget({ provider }), fromMessages(messages)).entries);
}
