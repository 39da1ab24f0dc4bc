import { isHistoryError } from "@agent-history/core";
import type { ChatMessage, ModelReply, ModelRequest } from "@agent-history/offline-model";
import { describe, expect, it } from "vitest";

import { holdClock } from "../../../packages/store-redis/test-support/held-clock.ts";
import { anthropicMessages } from "../test-support/model-server/anthropic-messages.ts";
import { chatCompletions } from "../test-support/model-server/chat-completions.ts";
import { connectTo } from "../test-support/model-server/connect-to.ts";
import type { Fault } from "../test-support/model-server/misbehave.ts";
import { responses } from "../test-support/model-server/responses.ts";
import { startModelServer } from "../test-support/model-server/start-model-server.ts";
import { USAGE } from "../test-support/model-server/wire.ts";
import type { Wire } from "../test-support/model-server/wire.ts";

const WIRES: readonly (readonly [string, Wire])[] = [
  ["openai", responses],
  ["anthropic", anthropicMessages],
  ["compatible", chatCompletions],
];
const SECRET_WORDS = "the quick brown fox";
const MESSAGES: readonly ChatMessage[] = [
  { role: "system", content: "Answer." },
  { role: "user", content: SECRET_WORDS },
];
const REQUEST: ModelRequest = { messages: MESSAGES, tools: [] };
const DEFINITION = {
  name: "search_text",
  description: "Searches.",
  parameters: { type: "object", properties: { query: { type: "string" } } },
} as const;
const CALLS = [
  { id: "call_1", name: "search_text", arguments: '{"query":"a tomato, ripe and red"}' },
  { id: "call_2", name: "search_text", arguments: '{"query":"日本語 🍅"}' },
];

describe.each(WIRES)("providerChatModel, %s", (protocol, wire) => {
  it("sends the request as it is, and gives text and parallel calls as they came", async () => {
    const reply = { text: "I look: 日本語 🍅, and more of it.", toolCalls: CALLS };
    const asked: ModelRequest[] = [];
    await using server = await startModelServer({
      wire,
      model: async (request) => {
        asked.push(request);
        return reply;
      },
    });
    const messages: readonly ChatMessage[] = [
      ...MESSAGES,
      { role: "assistant", content: "First this.", toolCalls: CALLS },
      { role: "tool", callId: "call_1", toolName: "search_text", content: "Red." },
      { role: "tool", callId: "call_2", toolName: "search_text", content: "Nothing." },
      { role: "user", content: "# Task\nGo on." },
    ];
    const { model, events } = connectTo(protocol, server);
    const given = await model({ messages, tools: [DEFINITION], onEvent: events.add });

    expect(asked[0]).toMatchObject({ messages, tools: [DEFINITION] });
    expect(given).toEqual({
      ...reply,
      usage: { inputTokens: USAGE.input, outputTokens: USAGE.output },
    });
    expect(events.text()).toBe(reply.text);
    expect(events.deltas()).toBeGreaterThan(1);
  });

  it("takes a reply that comes whole from a server that streams nothing", async () => {
    const reply = { text: "I look.", toolCalls: CALLS };
    await using server = await startModelServer({ wire, model: async () => reply, streams: false });
    const { model, events } = connectTo(protocol, server);
    const given = await model({ messages: MESSAGES, tools: [DEFINITION], onEvent: events.add });

    expect(given).toEqual({
      ...reply,
      usage: { inputTokens: USAGE.input, outputTokens: USAGE.output },
    });
    expect(events.text()).toBe(reply.text);
    expect(events.retries()).toEqual([]);
  });

  it.each<[string, Fault, number]>([
    ["500", { kind: "status", status: 500 }, 700],
    ["529", { kind: "status", status: 529, code: "overloaded_error" }, 700],
    ["429", { kind: "status", status: 429, headers: { "retry-after": "3" } }, 3000],
    [
      "429 in milliseconds",
      { kind: "status", status: 429, headers: { "retry-after-ms": "1500" } },
      1500,
    ],
    ["silence", { kind: "silent" }, 700],
    ["a stall in the middle", { kind: "stall", after: 4 }, 700],
    ["a connection closed in the middle", { kind: "close", after: 4 }, 700],
    ["a stream that ends too soon", { kind: "end", after: 4 }, 700],
    ["half a frame", { kind: "half-frame", after: 4 }, 700],
    ["an error in the middle", { kind: "error", after: 4 }, 700],
    ["an answer of no frames", { kind: "end", after: 0 }, 700],
  ])("tries again after %s, and says so", async (_, fault, delayMs) => {
    const reply = { text: "What was asked for, in more than one piece of text." };
    await using server = await startModelServer({
      wire,
      model: async () => reply,
      fault: (call) => (call === 0 ? fault : undefined),
    });
    const clock = holdClock();
    const { model, events, waits } = connectTo(protocol, server, { silenceSeconds: "30" });
    const asked = model({
      ...REQUEST,
      onEvent: (event) => {
        events.add(event);
        if (fault.kind === "stall" && server.calls.length === 1) clock.pass(30_000);
      },
    });
    if (fault.kind === "silent") await server.called().then(() => clock.pass(30_000));
    const { text } = await asked;

    expect(text).toBe(reply.text);
    expect(server.calls).toHaveLength(2);
    expect(waits).toEqual([delayMs]);
    expect(events.retries()).toMatchObject([{ attempt: 1, delayMs }]);
    expect(events.text().endsWith(reply.text)).toBe(true);
  });

  it.each<[string, Fault, number, RegExp]>([
    [
      "a key",
      { kind: "status", status: 401 },
      1,
      /does not take the key of \w+_API_KEY .*\(401\)\. Set/,
    ],
    [
      "a model",
      { kind: "status", status: 404 },
      1,
      /knows no model m-1 \(404\)\. Set AGENT_HISTORY_MODEL/,
    ],
    [
      "the length",
      { kind: "status", status: 400, code: "context_length_exceeded" },
      1,
      /longer than m-1/,
    ],
    ["the request", { kind: "status", status: 400 }, 1, /refuses the call of m-1 \(400\)/],
    [
      "the quota",
      { kind: "status", status: 429, code: "insufficient_quota" },
      1,
      /nothing left to spend/,
    ],
    [
      "the rate",
      { kind: "status", status: 429 },
      4,
      /fewer calls \(429\), also at try 4\. Wait a minute/,
    ],
    [
      "the rate, for long",
      { kind: "status", status: 429, headers: { "retry-after": "3600" } },
      1,
      /fewer calls \(429\)/,
    ],
    [
      "for ever",
      { kind: "status", status: 503 },
      4,
      /failed \(503\), also at try 4\. Ask again later/,
    ],
    ["with a page", { kind: "page" }, 1, /no answer of a model \(200\)\. See whether \w+_BASE_URL/],
    [
      "a redirection",
      { kind: "status", status: 307, headers: { location: "http://127.0.0.1:9/v1" } },
      1,
      /elsewhere \(307\), where no key is taken\. Set \w+_BASE_URL/,
    ],
    ["whole answers", { kind: "end", after: 3 }, 4, /broke off, also at try 4\. /],
    ["connections", { kind: "close", after: 3 }, 4, /broke off.*, also at try 4\. /],
    [
      "more tokens",
      { kind: "cut", after: 0 },
      1,
      /^The answer of m-1 was cut at the most tokens it may write\. Ask for less/,
    ],
    ["its answer", { kind: "withheld", after: 0 }, 1, /withheld the answer of m-1\. Ask in other/],
    [
      "an answer in time",
      { kind: "silent" },
      4,
      /was silent for 0\.1 s, also at try 4\. .*_SECONDS/,
    ],
  ])("says in one line where a server refuses %s", async (_, fault, calls, words) => {
    await using server = await startModelServer({
      wire,
      model: async () => ({ text: "x".repeat(200) }),
      fault: () => fault,
    });
    // Only a silent server is waited for in vain; a busy machine may let any other wait.
    const silenceSeconds = fault.kind === "silent" ? "0.1" : "30";
    const { model } = connectTo(protocol, server, { silenceSeconds });
    const message = await failureOf(model(REQUEST));

    expect(message).toMatch(words);
    // A try may be given up before it has left this process.
    if (fault.kind !== "silent") expect(server.calls).toHaveLength(calls);
  });

  it("shows no key, whatever a server writes", async () => {
    await using server = await startModelServer({ wire, model: async () => ({ text: "." }) });
    const model = connectTo(protocol, server, { key: "sk-wrong-0123456789" }).model;

    expect(await failureOf(model(REQUEST))).toContain("does not take the key");
  });

  it("writes ids and arguments of another model so that this one takes them", async () => {
    const asked: ModelRequest[] = [];
    await using server = await startModelServer({
      wire,
      model: async (request) => {
        asked.push(request);
        return { text: "Yes." };
      },
    });
    const toolCalls = [{ id: "call 1.2:é", name: "search_text", arguments: "no JSON" }];
    const result = { role: "tool", toolName: "search_text", content: "Wrong." } as const;
    const messages: readonly ChatMessage[] = [
      ...MESSAGES,
      { role: "assistant", content: "", toolCalls },
      { ...result, callId: "call 1.2:é" },
    ];
    await connectTo(protocol, server).model({ messages, tools: [] });

    const id = "call_1_2__";
    expect(asked[0]?.messages.slice(2)).toEqual([
      {
        role: "assistant",
        content: "",
        toolCalls: [{ id, name: "search_text", arguments: '{"arguments":"no JSON"}' }],
      },
      { ...result, callId: id },
    ]);
  });

  it("waits for a reply that takes long, as long as more of it comes", async () => {
    const text = "One word after another. ".repeat(16);
    await using server = await startModelServer({
      wire,
      model: async () => ({ text }),
      fault: () => ({ kind: "slow", after: 0, pauseMs: 1 }),
    });
    const clock = holdClock();
    const { model } = connectTo(protocol, server, { silenceSeconds: "30" });
    let pieces = 0;
    const onEvent = (): void => {
      pieces += 1;
      clock.pass(20_000);
    };

    expect((await model({ ...REQUEST, onEvent })).text).toBe(text);
    expect(server.calls).toHaveLength(1);
    expect(pieces).toBeGreaterThan(1);
  });

  it("takes an empty answer for a failure", async () => {
    await using server = await startModelServer({ wire, model: async () => ({ text: " " }) });

    expect(await failureOf(connectTo(protocol, server).model(REQUEST))).toMatch(
      /was empty, also at/,
    );
  });

  it("stops when it is told to, before, while and between tries", async () => {
    for (const fault of [undefined, { kind: "silent" }, { kind: "status", status: 500 }] as const) {
      await using server = await startModelServer({
        wire,
        model: async () => ({ text: "." }),
        fault: () => fault,
      });
      const stop = new AbortController();
      if (fault === undefined) stop.abort();
      const { model } = connectTo(protocol, server, { onWait: () => stop.abort() });
      const reply = model({ ...REQUEST, signal: stop.signal });
      if (fault?.kind === "silent") await server.called().then(() => stop.abort());

      await expect(reply).rejects.toMatchObject({ code: "ABORTED" });
      expect(server.calls).toHaveLength(fault === undefined ? 0 : 1);
    }
  });
});

/** The message of a failure, which holds no secret and is one line. */
async function failureOf(reply: Promise<ModelReply>): Promise<string> {
  const error: unknown = await reply.catch((reason: unknown) => reason);
  if (!isHistoryError(error, "MODEL_FAILED")) throw error;
  const shown = `${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`;
  expect(shown).not.toMatch(/sk-|quick brown|words of a server/);
  expect(error.message).not.toContain("\n");
  return error.message;
}
