import { createCompressor, messagesExceed } from "@agent-history/compression";
import type { ReductionPlan } from "@agent-history/core";
import { fitMiddleware, summaryMiddleware } from "@agent-history/langchain";
import { createReducer } from "@agent-history/reducer";
import type { BaseMessage } from "@langchain/core/messages";
import { Command, MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, humanInTheLoopMiddleware, tool } from "langchain";
import type { AgentMiddleware } from "langchain";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { toolResult } from "../src/loops/scripted-model.ts";
import { openaiChatWire } from "../src/servers/openai-chat-wire.ts";
import { openaiResponsesWire } from "../src/servers/openai-responses-wire.ts";
import {
  contextTokens,
  counters,
  instructions,
  recalls,
  runLoop,
  TURNS,
} from "./test-support/run-loop.ts";

const counter = counters.gpt;

const find = tool(({ to }) => toolResult(to), {
  name: "find",
  description: "Finds flights.",
  schema: z.object({ to: z.string() }),
});

const wires = [
  { name: "chat completions", wire: openaiChatWire, useResponsesApi: false },
  { name: "Responses", wire: openaiResponsesWire, useResponsesApi: true },
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

  const agentAt = (
    origin: string,
    middleware: readonly AgentMiddleware[],
    checkpointer = new MemorySaver(),
  ) =>
    createAgent({
      model: modelAt(origin),
      tools: [find],
      systemPrompt: instructions,
      middleware: [...middleware],
      checkpointer,
    });
  const fitting = (options: object = {}, onPlan?: (plan: ReductionPlan) => void) =>
    fitMiddleware({
      reducer: createReducer({ counter, ...options }),
      window: { contextTokens },
      ...(onPlan && { onPlan }),
    });

  it.each(recalls)(
    "has no request of 50 turns refused, and none over the window$how",
    async ({ fit }) => {
      const plans: ReductionPlan[] = [];
      let messages: BaseMessage[] = [];
      const start = (origin: string) => {
        const fits = fitting(fit, (plan) => plans.push(plan));
        const checkpointer = new MemorySaver();
        return async (asked: string) => {
          // A process of its own for each turn: what it knows comes from the checkpointer.
          const agent = agentAt(origin, [fits], checkpointer);
          ({ messages } = await agent.invoke(questionOf(asked), thread));
        };
      };
      await runLoop({ wire, counter, start });
      // The agent's own messages are all there, and each plan but the first went on from the one before.
      expect(messages).toHaveLength(TURNS * 7);
      const continued = plans.filter((plan) => plan.continued !== undefined);
      expect(continued).toHaveLength(plans.length - 1);
    },
  );

  it("has no request of 50 turns refused where old messages become summaries", async () => {
    const outcomes: string[] = [];
    let messages: BaseMessage[] = [];
    const start = (origin: string) => {
      const checkpointer = new MemorySaver();
      return async (asked: string) => {
        const trigger = messagesExceed(30);
        const compressor = createCompressor({ counter, trigger, tailTokens: 1000 });
        const onOutcome = ({ outcome }: { readonly outcome: string }) => outcomes.push(outcome);
        const summarizes = summaryMiddleware({ compressor, onOutcome });
        const agent = agentAt(origin, [summarizes, fitting()], checkpointer);
        ({ messages } = await agent.invoke(questionOf(asked), thread));
      };
    };
    await runLoop({ wire, counter, start, requests: "any" });
    expect(outcomes.filter((outcome) => outcome === "compressed").length).toBeGreaterThan(5);
    expect(outcomes).not.toContain("failed");
    expect(messages).toHaveLength(TURNS * 7);
  });

  it("has no request of 50 turns refused where answers are streamed", async () => {
    let pieces = 0;
    const start = (origin: string) => {
      const model = modelAt(origin);
      model.streaming = true;
      const agent = createAgent({
        model,
        tools: [find],
        systemPrompt: instructions,
        middleware: [fitting()],
        checkpointer: new MemorySaver(),
      });
      return async (asked: string) => {
        const stream = await agent.stream(questionOf(asked), { ...thread, streamMode: "messages" });
        for await (const _ of stream) pieces += 1;
      };
    };
    const { taken } = await runLoop({ wire, counter, start });
    expect(taken.every(({ stream }) => stream === true)).toBe(true);
    expect(pieces).toBeGreaterThan(taken.length);
  });

  it("has no request of 50 turns refused where a person approves, edits and rejects calls", async () => {
    const rules = { interruptOn: { find: { allowedDecisions: DECISIONS } } };
    // Its declarations do not hold under exactOptionalPropertyTypes.
    const approval: AgentMiddleware = Reflect.apply(humanInTheLoopMiddleware, undefined, [rules]);
    const decided = { approve: 0, edit: 0, reject: 0 };
    const start = (origin: string) => {
      const agent = agentAt(origin, [approval, fitting()]);
      return async (asked: string, turn: number) => {
        let state = await agent.invoke(questionOf(asked), thread);
        for (let calls = callsOf(state); calls > 0; calls = callsOf(state)) {
          const decisions = Array.from({ length: calls }, (_, call) => {
            const type = DECISIONS[(turn + call) % DECISIONS.length] ?? "approve";
            decided[type] += 1;
            if (type !== "edit") return { type };
            return { type, editedAction: { name: "find", args: { to: `call_${turn}_edited` } } };
          });
          state = await agent.invoke(new Command({ resume: { decisions } }), thread);
        }
      };
    };
    await runLoop({ wire, counter, start, requests: "any" });
    expect(Math.min(...Object.values(decided))).toBeGreaterThan(TURNS / 2);
  });
});

const thread = { configurable: { thread_id: "t1" } };

function questionOf(content: string) {
  return { messages: [{ role: "user", content }] };
}

const DECISIONS = ["approve", "edit", "reject"] as const;

/** How many calls wait for a person. */
function callsOf(state: object): number {
  const interrupts: unknown = Reflect.get(state, "__interrupt__");
  const [first]: readonly { readonly value?: { readonly actionRequests?: readonly object[] } }[] =
    Array.isArray(interrupts) ? interrupts : [];
  return first?.value?.actionRequests?.length ?? 0;
}
