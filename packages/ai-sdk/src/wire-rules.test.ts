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
const calls = (...content: readonly object[]): object => ({ role: "assistant", content });
const results = (...content: readonly object[]): object => ({ role: "tool", content });

describe("modelTarget", () => {
  it("puts the result of the caller's call behind the answer that it stood in", () => {
    const text = { type: "text", text: "So." };
    const old = { ...result, toolCallId: "c2", output: { type: "json", value: { at: [1] } } };
    const second = { ...call, toolCallId: "c2" };

    expect(repaired([asks, calls(call, result, text, second, old), on])).toEqual([
      asks,
      calls(text, call, second),
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

  it("makes what a provider ran a text, or the caller's call, for chat completions", () => {
    const ran = { ...call, providerExecuted: true };
    const text = { type: "text", text: "Done." };
    const [, said] = repaired([asks, calls(ran, result, text), on], "openai.chat");
    expect(JSON.stringify(said)).not.toContain('"tool-');
    expect(JSON.stringify(said)).toMatch(/Seen\..*Done\./u);

    const late = repaired([asks, calls(ran), calls(result, text), on], "openai.chat");
    expect(late).toEqual([asks, calls(call), results(result), calls(text), on]);
  });

  it("leaves what a provider ran to that provider alone", () => {
    const text = { type: "text", text: "Done." };
    for (const [toolCallId, own, other] of [
      ["ws_1", "openai.responses", "anthropic.messages"],
      ["srvtoolu_1", "anthropic.messages", "openai.responses"],
    ] as const) {
      const ran = { ...call, toolCallId, providerExecuted: true };
      const gave = { ...result, toolCallId };
      const messages = [asks, calls(ran, gave, text), on];
      const late = [asks, calls(ran), calls(gave, text), on];

      expect(repaired(messages, own)).toEqual(messages);
      expect(repaired(late, own)).toEqual(late);
      expect(JSON.stringify(repaired(messages, other))).toMatch(/"text":"[^"]*Seen\..*Done\./u);
      expect(JSON.stringify(repaired(messages, other))).not.toContain(toolCallId);
      expect(JSON.stringify(repaired(late, other))).not.toContain("providerExecuted");
    }
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
    const item = (itemId: string): object => ({ providerOptions: { openai: { itemId } } });
    const said = { type: "text", text: "Done." };
    const thought = { type: "reasoning", text: "Hm." };
    const whole = [asks, calls({ ...thought, ...item("rs_1") }, { ...said, ...item("msg_1") }), on];
    const lost = [asks, calls(thought, { ...said, ...item("msg_1") }), on];

    expect(repaired(whole, "openai.responses")).toEqual(whole);
    expect(JSON.stringify(repaired(lost, "openai.responses"))).not.toContain("msg_1");
  });
});

/** Repairing twice is repairing once. */
function repaired(messages: readonly object[], provider?: string): readonly object[] {
  const repair = (some: readonly object[]) =>
    repairFor(modelTarget({ provider }), fromModelMessages(some as never));
  const once = toModelMessages(repair(messages).entries);
  expect(repair(once).repairs).toEqual([]);
  return once;
}
