import { createCompressor, messagesExceed } from "@agent-history/compression";
import type { ReductionPlan } from "@agent-history/core";
import { fitMiddleware, summaryMiddleware } from "@agent-history/langchain";
import { createReducer } from "@agent-history/reducer";
import { lexicalScorer } from "@agent-history/reducer/lexical";
import { tiktokenCounter } from "@agent-history/tokens";
import type { BaseMessage } from "@langchain/core/messages";
import { Command, MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, humanInTheLoopMiddleware, tool } from "langchain";
import type { AgentMiddleware } from "langchain";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import {
  question,
  REQUESTS_OF_TURN,
  scriptedModel,
  toolResult,
} from "../src/loops/scripted-model.ts";
import { openaiChatWire } from "../src/servers/openai-chat-wire.ts";
import { openaiResponsesWire } from "../src/servers/openai-responses-wire.ts";
import { startStrictServer } from "../src/servers/start-strict-server.ts";

const TURNS = 50;
const contextTokens = 8000;
const counter = tiktokenCounter({ encoding: "o200k_base" });
const window = { contextTokens, countText: (text: string) => counter.countText(text) };

const find = tool(({ to }) => toolResult(to), {
  name: "find",
  description: "Finds flights.",
  schema: z.object({ to: z.string() }),
});

const wires = [
  { name: "chat completions", wire: openaiChatWire, useResponsesApi: false },
  { name: "Responses", wire: openaiResponsesWire, useResponsesApi: true },
];
const scorers = [
  { how: "", fit: {} },
  { how: " and recall blocks", fit: { scorer: lexicalScorer() } },
];

describe.each(wires)("createAgent with a checkpointer, through OpenAI's $name", (api) => {
  const { wire, useResponsesApi } = api;
  const modelAt = (origin: string) =>
    new ChatOpenAI({
      model: "gpt-5.1",
      apiKey: "none",
      maxRetries: 0,
      useResponsesApi,
      zdrEnabled: useResponsesApi,
      configuration: { baseURL: `${origin}/v1` },
    });

  it.each(scorers)(
    "has no request of 50 turns refused, and none over the window$how",
    async ({ fit }) => {
      await using server = await startStrictServer({ wire, reply: scriptedModel, window });
      const plans: ReductionPlan[] = [];
      const reducer = createReducer({ counter, ...fit });
      const checkpointer = new MemorySaver();
      const config = { configurable: { thread_id: "t1" } };
      let messages: BaseMessage[] = [];
      for (let turn = 0; turn < TURNS; turn += 1) {
        // A process of its own for each turn: what it knows comes from the checkpointer.
        const agent = createAgent({
          model: modelAt(server.origin),
          tools: [find],
          systemPrompt: "You book flights.",
          middleware: [
            fitMiddleware({
              reducer,
              window: { contextTokens },
              onPlan: (plan) => plans.push(plan),
            }),
          ],
          checkpointer,
        });
        const asked = { messages: [{ role: "user", content: question(turn) }] };
        ({ messages } = await agent.invoke(asked, config));
      }
      expect(server.refusals).toEqual([]);
      expect(server.taken).toHaveLength(TURNS * REQUESTS_OF_TURN);
      expect(Math.max(...server.tokens)).toBeLessThanOrEqual(contextTokens);
      expect(Math.max(...server.tokens)).toBeGreaterThan(contextTokens / 2);
      // The agent's own messages are all there, and each plan but the first went on from the one before.
      expect(messages).toHaveLength(TURNS * 7);
      expect(plans.filter(({ continued }) => continued !== undefined)).toHaveLength(
        plans.length - 1,
      );
    },
  );

  it("has no request of 50 turns refused where old messages become summaries", async () => {
    await using server = await startStrictServer({ wire, reply: scriptedModel, window });
    const outcomes: string[] = [];
    const trigger = messagesExceed(30);
    const checkpointer = new MemorySaver();
    const config = { configurable: { thread_id: "t1" } };
    let messages: BaseMessage[] = [];
    for (let turn = 0; turn < TURNS; turn += 1) {
      const compressor = createCompressor({ counter, trigger, tailTokens: 1000 });
      const agent = createAgent({
        model: modelAt(server.origin),
        tools: [find],
        systemPrompt: "You book flights.",
        middleware: [
          summaryMiddleware({ compressor, onOutcome: ({ outcome }) => outcomes.push(outcome) }),
          fitMiddleware({ reducer: createReducer({ counter }), window: { contextTokens } }),
        ],
        checkpointer,
      });
      const asked = { messages: [{ role: "user", content: question(turn) }] };
      ({ messages } = await agent.invoke(asked, config));
    }
    expect(server.refusals).toEqual([]);
    expect(Math.max(...server.tokens)).toBeLessThanOrEqual(contextTokens);
    expect(outcomes.filter((outcome) => outcome === "compressed").length).toBeGreaterThan(5);
    expect(outcomes).not.toContain("failed");
    expect(messages).toHaveLength(TURNS * 7);
  });

  it("has no request of 50 turns refused where answers are streamed", async () => {
    await using server = await startStrictServer({ wire, reply: scriptedModel, window });
    const model = modelAt(server.origin);
    model.streaming = true;
    const agent = createAgent({
      model,
      tools: [find],
      systemPrompt: "You book flights.",
      middleware: [
        fitMiddleware({ reducer: createReducer({ counter }), window: { contextTokens } }),
      ],
      checkpointer: new MemorySaver(),
    });
    const config = { configurable: { thread_id: "t1" } };
    let pieces = 0;
    for (let turn = 0; turn < TURNS; turn += 1) {
      const asked = { messages: [{ role: "user", content: question(turn) }] };
      const stream = await agent.stream(asked, { ...config, streamMode: "messages" });
      for await (const _ of stream) pieces += 1;
    }
    expect(server.refusals).toEqual([]);
    expect(server.taken).toHaveLength(TURNS * REQUESTS_OF_TURN);
    expect(server.taken.every(({ stream }) => stream === true)).toBe(true);
    expect(Math.max(...server.tokens)).toBeLessThanOrEqual(contextTokens);
    expect(pieces).toBeGreaterThan(server.taken.length);
  });

  it("has no request of 50 turns refused where a person approves, edits and rejects calls", async () => {
    await using server = await startStrictServer({ wire, reply: scriptedModel, window });
    const rules = { interruptOn: { find: { allowedDecisions: DECISIONS } } };
    // Its declarations do not hold under exactOptionalPropertyTypes.
    const approval: AgentMiddleware = Reflect.apply(humanInTheLoopMiddleware, undefined, [rules]);
    const agent = createAgent({
      model: modelAt(server.origin),
      tools: [find],
      systemPrompt: "You book flights.",
      middleware: [
        approval,
        fitMiddleware({ reducer: createReducer({ counter }), window: { contextTokens } }),
      ],
      checkpointer: new MemorySaver(),
    });
    const config = { configurable: { thread_id: "t1" } };
    const decided = { approve: 0, edit: 0, reject: 0 };
    for (let turn = 0; turn < TURNS; turn += 1) {
      let state = await agent.invoke(
        { messages: [{ role: "user", content: question(turn) }] },
        config,
      );
      for (let calls = callsOf(state); calls > 0; calls = callsOf(state)) {
        const decisions = Array.from({ length: calls }, (_, call) => {
          const type = DECISIONS[(turn + call) % DECISIONS.length] ?? "approve";
          decided[type] += 1;
          if (type !== "edit") return { type };
          return { type, editedAction: { name: "find", args: { to: `call_${turn}_edited` } } };
        });
        state = await agent.invoke(new Command({ resume: { decisions } }), config);
      }
    }
    expect(server.refusals).toEqual([]);
    expect(Math.max(...server.tokens)).toBeLessThanOrEqual(contextTokens);
    expect(Math.min(...Object.values(decided))).toBeGreaterThan(TURNS / 2);
  });
});

const DECISIONS = ["approve", "edit", "reject"] as const;

/** How many calls wait for a person. */
function callsOf(state: object): number {
  const interrupts: unknown = Reflect.get(state, "__interrupt__");
  const [first]: readonly { readonly value?: { readonly actionRequests?: readonly object[] } }[] =
    Array.isArray(interrupts) ? interrupts : [];
  return first?.value?.actionRequests?.length ?? 0;
}
