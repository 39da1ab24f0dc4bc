import { customEntry } from "@agent-history/core";
import { repairFor } from "@agent-history/format-kit";
import { describe, expect, it } from "vitest";

import { fromModelMessages, modelTarget, toModelMessages } from "./index.ts";

const asks = { role: "user", content: "Look." };
const on = { role: "user", content: "Go on." };
const call = { type: "tool-call", toolCallId: "c1", toolName: "look", input: { at: "a" } };
const result = {
  type: "tool-result",
  toolCallId: "c1",
  toolName: "look",
  output: { type: "text", value: "Seen." },
};
const srv = { ...call, toolCallId: "srvtoolu_1" };
const found = { type: "json", value: [{ type: "web_search_result" }] };
const request = { type: "tool-approval-request", approvalId: "a1", toolCallId: "c1" };
const approval = { type: "tool-approval-response", approvalId: "a1", approved: true };
const denial = { ...approval, approved: false, reason: "Not there." };
const item = (itemId: string): object => ({ providerOptions: { openai: { itemId } } });
const calls = (...content: readonly object[]): object => ({ role: "assistant", content });
const results = (...content: readonly object[]): object => ({ role: "tool", content });

describe("modelTarget", () => {
  it("puts the result of the caller's call behind the answer that it stood in", () => {
    const text = { type: "text", text: "So." };
    const old = { ...result, toolCallId: "c2", output: { type: "json", value: { at: [1] } } };
    const second = { ...call, toolCallId: "c2" };

    expect(repaired([asks, calls(call, result, text, second, old), on])).toEqual([
      asks,
      calls(call, text, second),
      results(result, old),
      on,
    ]);
  });

  it.each([{ toolName: "" }, { toolName: undefined }])(
    "keeps a call without a name with its result: %j",
    (name) => {
      const nameless = (one: object): object => ({ ...one, ...name });

      expect(repaired([asks, calls(nameless(call)), results(nameless(result)), on])).toEqual([
        asks,
        calls({ ...call, toolName: "unknown_tool" }),
        results({ ...result, toolName: "unknown_tool" }),
        on,
      ]);
    },
  );

  it("makes what a provider ran the caller's call, for chat completions", () => {
    const ran = { ...call, providerExecuted: true };
    const text = { type: "text", text: "Done." };
    const callers = [asks, calls(call), results(result), calls(text), on];

    expect(repaired([asks, calls(ran, result, text), on], "openai.chat")).toEqual(callers);
    expect(repaired([asks, calls(ran), calls(result, text), on], "openai.chat")).toEqual(callers);
  });

  it.each([
    ["with an item of the caller's", "openai.responses", { ...call, ...item("fc_1") }, [result]],
    ["with an id of the caller's", "anthropic.messages", call, [result]],
    ["without a server", "anthropic.messages", { ...call, toolCallId: "mcptoolu_1" }, [result]],
    ["with an input that is no object", "anthropic.messages", { ...srv, input: "a" }, [result]],
  ])("makes a call that a provider cannot have run the caller's: %s", (_, provider, ran, rest) => {
    const { toolCallId } = ran;
    const own = rest.map((one) => ({ ...one, toolCallId }));
    const messages = [asks, calls({ ...ran, providerExecuted: true }, ...own), on];
    const [, called, answered] = repaired(messages, provider);

    expect(JSON.stringify(called)).not.toContain("providerExecuted");
    expect(called).toMatchObject(calls({ type: "tool-call" }));
    expect(answered).toMatchObject(results({ output: result.output }));
  });

  it("makes the second call with the id of one that a provider ran the caller's", () => {
    const ran = { ...srv, providerExecuted: true };
    const gave = { ...result, toolCallId: srv.toolCallId, output: found };
    const answer = calls(ran, gave);
    const sent = repaired([asks, answer, on, answer, on], "anthropic.messages");

    expect(sent.slice(0, 3)).toEqual([asks, answer, on]);
    expect(JSON.stringify(sent.slice(3))).not.toContain("providerExecuted");
    expect(JSON.stringify(sent.slice(3))).toContain("web_search_result");
  });

  it("leaves out a call of Claude's server that has no result", () => {
    const text = { type: "text", text: "Done." };
    const ran = { ...srv, providerExecuted: true };

    expect(repaired([asks, calls(ran, text), on], "anthropic.messages")).toEqual([
      asks,
      calls(text),
      on,
    ]);
  });

  it("keeps the reason of a denial where another provider was to run the call", () => {
    const ran = { ...call, providerExecuted: true };
    const messages = [
      asks,
      calls(ran, request),
      results({ ...denial, providerExecuted: true }),
      on,
    ];
    const output = { type: "execution-denied", reason: "Not there." };

    expect(repaired(messages, "openai.chat")).toEqual([
      asks,
      calls(call),
      results({ ...result, output }),
      on,
    ]);
  });

  it.each([
    ["approved", approval],
    ["denied", denial],
  ])("leaves a call that was just %s open, for the AI SDK to end", (_, response) => {
    const messages = [asks, calls(call, request), results(response)];

    for (const provider of [undefined, "anthropic.messages", "openai.chat", "openai.responses"]) {
      expect(repaired(messages, provider)).toEqual(messages);
    }
    const page = customEntry({ type: "ui_message", id: "c", createdAtMs: 0 });
    const entries = [...fromModelMessages(messages as never), page];
    expect(repairFor(modelTarget(), entries).repairs).toEqual([]);
    const blank = { role: "system", content: " " };
    const thought = calls({ type: "reasoning", text: "Hm." });
    expect(repaired([...messages, blank, thought], "openai.chat")).toEqual(messages);
  });

  it("puts a lost result before a response, which the AI SDK looks for at the end", () => {
    const other = { ...call, toolCallId: "c2" };
    const sent = repaired([asks, calls(other, call, request), results(approval)]);

    expect(sent.at(-1)).toEqual(results(approval));
    expect(sent.at(-2)).toMatchObject(results({ toolCallId: "c2" }));
  });

  it("asks for the approval of a call by the id that it has", () => {
    const odd = { toolCallId: "c 1" };
    const messages = [asks, calls({ ...call, ...odd }, { ...request, ...odd }), results(approval)];
    const [, said] = repaired(messages, "anthropic.messages");
    const [{ toolCallId } = {}, asked] = contentOf(said);

    expect(toolCallId).toMatch(/^[\w-]+$/u);
    expect(asked).toEqual({ ...request, toolCallId });
    expect(repaired(messages, "anthropic.messages")).toHaveLength(3);
  });

  it.each([
    ["anthropic.messages", "image/svg+xml"],
    ["openai.responses", "image/bmp"],
    ["openai.chat", ""],
  ])("sends %s no image of the type %j", (provider, mediaType) => {
    const image = { type: "file", mediaType, data: "AAAA" };
    const shown = { ...result, output: { type: "content", value: [image] } };

    for (const messages of [
      [{ role: "user", content: [image] }],
      [asks, calls(call), results(shown), on],
    ]) {
      const sent = JSON.stringify(repaired(messages, provider));
      expect(sent).not.toContain("AAAA");
      expect(sent).toMatch(/\[(?:file|image)\]/u);
    }
  });

  it("reads the file in a data URL, and sends no URL that only a page or a disk knows", () => {
    const file = (mediaType: string, url: string): object => ({
      role: "user",
      content: [{ type: "file", mediaType, data: { type: "url", url } }],
    });
    const text = repaired([file("text/plain", "data:text/plain;base64,SGku")], "openai.chat");
    const image = [file("image/png", "data:image/png;base64,AAAA")];

    expect(text).toEqual([{ role: "user", content: [{ type: "text", text: "Hi." }] }]);
    expect(repaired(image, "openai.chat")).toEqual(image);
    for (const url of ["blob:http://localhost/abc", "file:///a.png", "data:image/png;base64,!!"]) {
      expect(JSON.stringify(repaired([file("image/png", url)]))).toContain("[image]");
    }
  });

  it("leaves what a provider ran to that provider alone", () => {
    const text = { type: "text", text: "Done." };
    for (const [toolCallId, own, other] of [
      ["ws_1", "openai.responses", "anthropic.messages"],
      ["srvtoolu_1", "anthropic.messages", "openai.responses"],
    ] as const) {
      const ran = { ...call, toolCallId, providerExecuted: true };
      const gave = { ...result, toolCallId, output: found };
      const messages = [asks, calls(ran, gave, text), on];
      const late = [asks, calls(ran), calls(gave, text), on];

      expect(repaired(messages, own)).toEqual(messages);
      expect(repaired(late, own)).toEqual(late);
      for (const some of [messages, late]) {
        const { providerExecuted: _, ...callers } = ran;
        expect(repaired(some, other)).toEqual([
          asks,
          calls(callers),
          results(gave),
          calls(text),
          on,
        ]);
      }
    }
  });

  it.each([
    ["web_search", { type: "json", value: { at: "a" } }],
    ["web_search", { type: "text", value: "Seen." }],
    ["web_search", { type: "error-json", value: "It failed." }],
    ["web_fetch", { type: "json", value: [{ type: "web_fetch_result" }] }],
    ["look", { type: "json", value: {} }],
  ])(
    "makes a call of Claude's server whose result cannot be sent the caller's: %s %j",
    (toolName, output) => {
      const ran = { ...srv, toolName, providerExecuted: true };
      const gave = { ...result, toolName, toolCallId: srv.toolCallId };
      const failed = { type: "error-json", value: { errorCode: "unavailable" } };
      const messages = (given: object): object[] => [
        asks,
        calls(ran, { ...gave, output: given }),
        on,
      ];

      expect(repaired(messages(failed), "anthropic.messages")).toEqual(messages(failed));
      expect(repaired(messages(output), "anthropic.messages")).toEqual([
        asks,
        calls({ ...srv, toolName }),
        results({ ...gave, output }),
        on,
      ]);
    },
  );

  it.each([
    [{ openai: "x", acme: { at: 1 } }, { acme: { at: 1 } }],
    [null, {}],
    [{ anthropic: { signature: 5 } }, { anthropic: {} }],
    [{ openai: { itemId: "" } }, { openai: {} }],
    [
      { openai: { itemId: `msg_${"x".repeat(64)}`, phase: "final" } },
      { openai: { phase: "final" } },
    ],
  ])("sends no provider options of a wrong type: %j", (given, sent) => {
    const text = { type: "text", text: "Done." };
    const valid = { openai: { itemId: "msg_1", reasoningEncryptedContent: null } };
    const messages = (providerOptions: unknown): object[] => [
      asks,
      calls({ ...text, providerOptions }, { ...call, providerOptions }),
      results({ ...result, providerOptions }),
      on,
    ];

    expect(repaired(messages(given))).toEqual(messages(sent));
    expect(repaired(messages(valid))).toEqual(messages(valid));
  });

  it.each([null, "", 7, "other"])("names the call of a request that names %j", (toolCallId) => {
    const odd = calls(call, { ...request, toolCallId });

    expect(repaired([asks, odd, results(approval)])).toEqual([
      asks,
      calls(call, request),
      results(approval),
    ]);
  });

  it.each([7, null, ""])("keeps a result, a reason and a request whose ids are %j", (odd) => {
    const asked = { ...request, approvalId: odd, toolCallId: odd };
    const said = { ...denial, approvalId: odd };
    const messages = [
      asks,
      calls({ ...call, toolCallId: odd }, asked),
      results(said, { ...result, toolCallId: odd }),
      on,
    ] as never[];
    const [, called, answered] = repaired(messages);
    const [first, second] = contentOf(called);

    expect(toModelMessages(fromModelMessages(messages))).toEqual(messages);
    expect(second).toMatchObject({
      toolCallId: first?.["toolCallId"],
      approvalId: expect.stringMatching(/^\w+$/u),
    });
    expect(answered).toEqual(
      results(
        { ...denial, approvalId: second?.["approvalId"] },
        { ...result, toolCallId: first?.["toolCallId"] },
      ),
    );
  });

  it("does not wait for an approved call of a tool that nobody runs", () => {
    const messages = [asks, calls(call, request), results(approval)];
    const sent = (runnable: readonly string[]): readonly object[] =>
      toModelMessages(
        repairFor(modelTarget({ runnable }), fromModelMessages(messages as never)).entries,
      );

    expect(sent(["look"])).toEqual(messages);
    expect(JSON.stringify(sent(["other"]))).toContain("No result of this call was recorded.");
  });

  it("leaves no thinking at the end of an answer whose image Anthropic is not sent", () => {
    const thought = {
      type: "reasoning",
      text: "Hm.",
      providerOptions: { anthropic: { signature: "a" } },
    };
    const image = { type: "file", mediaType: "image/png", data: "AAAA" };

    expect(repaired([asks, calls(thought, image), on], "anthropic.messages")[1]).toEqual(
      calls(thought, { type: "text", text: "[image]" }),
    );
  });

  it("makes a call that a provider ran without an id the caller's", () => {
    const nameless = (one: object): object => ({ ...one, toolCallId: "" });
    const messages = [
      asks,
      calls(nameless({ ...call, providerExecuted: true }), nameless(result)),
      on,
    ];

    expect(JSON.stringify(repaired(messages))).not.toMatch(/providerExecuted|"toolCallId":""/u);
    expect(repaired(messages)[2]).toMatchObject(results({ output: result.output }));
  });

  it("puts the result of the caller's call in a later answer where the AI SDK looks for it", () => {
    const text = { type: "text", text: "Done." };

    expect(repaired([asks, calls(call), calls(result, text), on], "openai.responses")).toEqual([
      asks,
      calls(call),
      results(result),
      calls(text),
      on,
    ]);
  });

  it.each([
    ['{"at":"cut', { value: '{"at":"cut' }],
    [["a"], { value: ["a"] }],
    ['{"at":"a"}', '{"at":"a"}'],
  ])("sends chat completions what the model wrote as arguments: %j", (input, sent) => {
    const messages = [asks, calls({ ...call, input }), results(result), on];

    expect(repaired(messages, "openai.chat")[1]).toEqual(calls({ ...call, input: sent }));
    expect(repaired(messages, "openai.responses")).toEqual(messages);
  });

  it("sends a user's parts only as far as the AI SDK takes them, with their words", () => {
    const image = { type: "file", mediaType: "image/png", data: "AAAA" };
    const odd = [
      call,
      { ...result, type: "custom-result" },
      { type: "text" },
      null,
      { type: "reasoning", text: "Hm." },
      { type: "image", image: "no base64!" },
    ] as object[];
    const [asked] = repaired([{ role: "user", content: [image, ...odd] }]);

    const text = { type: "text" };
    expect(asked).toMatchObject({ content: [image, text, text, text, text] });
    expect(JSON.stringify(asked)).toMatch(/tool-call.*Seen\..*Hm\..*\[image\]/u);
  });

  it("leaves out what is no part of an answer", () => {
    const text = { type: "text", text: "Done." };
    const custom = { type: "custom", kind: "acme.thing" };
    const odd = [null, { type: "text" }, { type: "step-start" }] as object[];

    expect(repaired([asks, calls(...odd, text, custom), on])).toEqual([
      asks,
      calls(text, custom),
      on,
    ]);
  });

  it.each([
    ["openai.chat", ["audio/wav", "application/pdf"], ["video/mp4", "application/zip"]],
    ["openai.responses", ["application/pdf"], ["audio/wav", "application/zip"]],
    ["anthropic.messages", ["text/plain", "application/pdf"], ["audio/wav", "video/mp4"]],
  ])("sends %s the files that its package takes, others as a line", (provider, taken, refused) => {
    const file = (mediaType: string): object => ({ type: "file", mediaType, data: "SGku" });
    const sent = (mediaType: string): object =>
      repaired([{ role: "user", content: [file(mediaType)] }], provider)[0] ?? {};

    for (const one of taken) expect(sent(one)).toEqual({ role: "user", content: [file(one)] });
    for (const one of refused) {
      expect(sent(one)).toEqual({ role: "user", content: [{ type: "text", text: "[file]" }] });
    }
    if (!provider.startsWith("openai")) return;
    const video = {
      type: "file",
      mediaType: "video/mp4",
      data: { type: "url", url: "https://e.com/v" },
    };
    const [shown] = repaired([{ role: "user", content: [video] }], provider);
    expect(shown).toMatchObject({ content: [{ type: "text" }] });
    expect(sent("text/plain")).toEqual({ role: "user", content: [{ type: "text", text: "Hi." }] });
  });

  it("leaves a request for an approval and its answer as they are", () => {
    const asked = { type: "tool-approval-request", approvalId: "a1", toolCallId: "c1" };
    const said = { type: "tool-approval-response", approvalId: "a1", approved: true };
    const messages = [asks, calls(call, asked), results(said, result), on];

    for (const provider of ["anthropic.messages", "openai.chat", "openai.responses"]) {
      expect(repaired(messages, provider)).toEqual(messages);
    }
  });

  it("mends half a surrogate pair in the input of a call", () => {
    const broken = calls({ ...call, input: { at: "a\ud83d" } });

    expect(repaired([asks, broken, results(result), on])[1]).toEqual(
      calls({ ...call, input: { at: "a\ufffd" } }),
    );
  });

  it("leaves out reasoning whose signature is empty", () => {
    const thought = (signature: string): object => ({
      type: "reasoning",
      text: "Hm.",
      providerOptions: { anthropic: { signature } },
    });
    const messages = (signature: string): object[] => [
      asks,
      calls(thought(signature), call),
      results(result),
      on,
    ];

    expect(repaired(messages(""), "anthropic.messages")[1]).toEqual(calls(call));
    expect(repaired(messages("c2ln"), "anthropic.messages")).toEqual(messages("c2ln"));
  });

  it("asks OpenAI for nothing by its id beside reasoning that lost its own", () => {
    const said = { type: "text", text: "Done." };
    const thought = { type: "reasoning", text: "Hm." };
    const whole = [asks, calls({ ...thought, ...item("rs_1") }, { ...said, ...item("msg_1") }), on];
    const lost = [asks, calls(thought, { ...said, ...item("msg_1") }), on];

    expect(repaired(whole, "openai.responses")).toEqual(whole);
    expect(JSON.stringify(repaired(lost, "openai.responses"))).not.toContain("msg_1");
  });
});

function contentOf(message: object | undefined): readonly Record<string, unknown>[] {
  return message !== undefined && "content" in message ? (message.content as never) : [];
}

/** Repairing twice is repairing once. */
function repaired(messages: readonly object[], provider?: string): readonly object[] {
  const repair = (some: readonly object[]) =>
    repairFor(modelTarget({ provider }), fromModelMessages(some as never));
  const once = toModelMessages(repair(messages).entries);
  expect(repair(once).repairs).toEqual([]);
  return once;
}
