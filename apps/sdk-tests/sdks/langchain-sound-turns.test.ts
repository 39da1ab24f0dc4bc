import { createCompressor, tokensExceed } from "@agent-history/compression";
import { fitMiddleware, summaryMiddleware } from "@agent-history/langchain";
import { createReducer } from "@agent-history/reducer";
import { tiktokenCounter } from "@agent-history/tokens";
import { trimMessages } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import type { ClientTool } from "@langchain/core/tools";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import {
  ClearToolUsesEdit,
  contextEditingMiddleware,
  createAgent,
  createMiddleware,
  summarizationMiddleware,
  tool,
} from "langchain";
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
import { startStrictServer } from "../src/servers/start-strict-server.ts";

/** Turns of one conversation with `createAgent`, a checkpointer and an exact counter. A turn is sound if the strict server takes all its requests, each holds the turn's question word for word, and the agent answers. */

const TURNS = 30;
const contextTokens = 8000;
/** What LangChain's ways are told: the rest is for the system message and the tool. */
const maxTokens = 7500;
const counter = tiktokenCounter({ encoding: "o200k_base" });
const window = { contextTokens, countText };

/** Results of a few words up to 2,000 tokens; where they are long, each tenth call finds 12,000 tokens. */
function finderOf(isLong: boolean): ClientTool {
  let calls = 0;
  const run = ({ to }: { to: string }): string => {
    calls += 1;
    return isLong && calls % 10 === 5 ? "seat at the window, ".repeat(2400) : toolResult(to);
  };
  const schema = z.object({ to: z.string() });
  return tool(run, { name: "find", description: "Finds flights.", schema });
}

const known = new Map<string, number>();

function countText(text: string): number {
  const count = known.get(text) ?? counter.countText(text);
  known.set(text, count);
  return count;
}

/** Counts as the server does, never too little, each text once. */
function countMessages(messages: BaseMessage[]): number {
  return messages.reduce((sum, message) => {
    const calls = JSON.stringify(Reflect.get(message, "tool_calls") ?? []);
    return sum + 6 + countText(message.text) + countText(calls);
  }, 3);
}

/** LangChain's types take no options at all here, beside zod 4. */
const summarizing = (options: object): AgentMiddleware =>
  Reflect.apply(summarizationMiddleware, undefined, [options]);
const summarizer = (): FakeListChatModel =>
  new FakeListChatModel({ responses: ["The user asked for flights to Rome; some were found."] });

const reducer = createReducer({ counter });
const fit = (): AgentMiddleware => fitMiddleware({ reducer, window: { contextTokens } });

/** LangChain's own ways as its documentation shows them, with the trigger below the window. */
const ways: readonly (readonly [name: string, middleware: () => AgentMiddleware[]])[] = [
  ["nothing", () => []],
  [
    "trimMessages",
    () => [
      createMiddleware({
        name: "Trim",
        wrapModelCall: async (request, handler) =>
          handler({
            ...request,
            messages: await trimMessages(request.messages, {
              maxTokens,
              strategy: "last",
              startOn: "human",
              endOn: ["human", "tool"],
              tokenCounter: countMessages,
            }),
          }),
      }),
    ],
  ],
  [
    "summarizationMiddleware",
    () => [
      summarizing({
        model: summarizer(),
        trigger: { tokens: maxTokens },
        keep: { tokens: maxTokens / 2 },
        tokenCounter: countMessages,
      }),
    ],
  ],
  [
    "contextEditingMiddleware",
    () => [
      contextEditingMiddleware({
        edits: [new ClearToolUsesEdit({ trigger: { tokens: maxTokens }, keep: { messages: 3 } })],
      }),
    ],
  ],
  ["fitMiddleware", () => [fit()]],
  [
    "summaryMiddleware and fitMiddleware",
    () => {
      const trigger = tokensExceed(4000);
      const compressor = createCompressor({ counter, trigger, tailTokens: 1000 });
      return [summaryMiddleware({ compressor }), fit()];
    },
  ],
];

async function soundTurns(middleware: () => AgentMiddleware[], isLong: boolean): Promise<number> {
  const find = finderOf(isLong);
  let [asking, step, lost] = [0, 0, 0];
  await using server = await startStrictServer({
    wire: openaiChatWire,
    window,
    reply: (body) => {
      if (!JSON.stringify(body["messages"]).includes(question(asking).trim())) lost += 1;
      step += 1;
      return scriptedModel(body, asking * REQUESTS_OF_TURN + step - 1);
    },
  });
  const checkpointer = new MemorySaver();
  const config = { configurable: { thread_id: "t1" } };
  let sound = 0;
  for (let turn = 0; turn < TURNS; turn += 1) {
    const model = new ChatOpenAI({
      model: "gpt-5.1",
      apiKey: "none",
      maxRetries: 0,
      configuration: { baseURL: `${server.origin}/v1` },
    });
    const agent = createAgent({
      model,
      tools: [find],
      systemPrompt: "You book flights.",
      middleware: middleware(),
      checkpointer,
    });
    const before = server.refusals.length + lost;
    [asking, step] = [turn, 0];
    const asked = { messages: [{ role: "user", content: question(turn) }] };
    const isAnswered = await agent.invoke(asked, config).then(
      () => true,
      () => false,
    );
    if (isAnswered && server.refusals.length + lost === before) sound += 1;
  }
  return sound;
}

describe(`sound turns of ${TURNS}, in a window of ${contextTokens} tokens`, () => {
  it.each(ways)("%s", async (name, middleware) => {
    const sound = [await soundTurns(middleware, false), await soundTurns(middleware, true)];
    console.log(`${name}: ${sound.join(", with long results ")}`);
    if (name.endsWith("fitMiddleware")) expect(sound).toEqual([TURNS, TURNS]);
    else expect(Math.max(...sound)).toBeLessThanOrEqual(TURNS);
  });
});
