import { MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, tool } from "langchain";
import * as z from "zod";

import {
  question,
  REQUESTS_OF_TURN,
  scriptedModel,
  toolResult,
} from "../../src/loops/scripted-model.ts";
import { openaiChatWire } from "../../src/servers/openai-chat-wire.ts";
import { startStrictServer } from "../../src/servers/start-strict-server.ts";
import { contextTokens, counter } from "./ways.ts";
import type { Way } from "./ways.ts";

/** What became of a conversation. */
export interface SoundTurns {
  /** How many turns were answered, with each request taken and the turn's question in each. */
  readonly sound: number;
  readonly turns: number;
  /** Why the others were not: a rule of the server, `question-lost`, or the error's first line; with the number of turns. */
  readonly reasons: Readonly<Record<string, number>>;
}

/** How one conversation goes. */
export interface Conversation {
  readonly turns: number;
  /** How many times as long as 2 to 2,000 tokens the results of the tool are. */
  readonly resultFactor: number;
}

/**
 * Runs one conversation of `createAgent` with a checkpointer against a server that refuses what OpenAI refuses, and what is over the window; each turn
 * makes three calls to a tool. A turn that fails stays in the conversation as the agent left it, and the next question is asked.
 */
export async function countSoundTurns(
  way: Way,
  { turns, resultFactor }: Conversation,
): Promise<SoundTurns> {
  const window = { contextTokens, countText: (text: string) => counter.countText(text) };
  let turn = 0;
  let step = 0;
  const reply: typeof scriptedModel = (body) =>
    scriptedModel(body, turn * REQUESTS_OF_TURN + step++);
  await using server = await startStrictServer({ wire: openaiChatWire, reply, window });
  // Summaries are written by a model that takes anything, so that only the agent's requests are judged.
  const summary = () => ({ text: "The user asked for flights to Rome; some were found." });
  await using summarizer = await startStrictServer({ wire: openaiChatWire, reply: summary });

  const find = tool(({ to }) => toolResult(to).repeat(resultFactor), {
    name: "find",
    description: "Finds flights.",
    schema: z.object({ to: z.string() }),
  });
  const agent = createAgent({
    model: modelAt(server.origin),
    tools: [find],
    systemPrompt: "You book flights.",
    middleware: [...way(modelAt(summarizer.origin))],
    checkpointer: new MemorySaver(),
  });
  const config = { configurable: { thread_id: "t1" } };
  const reasons: Record<string, number> = {};
  let sound = 0;
  for (; turn < turns; turn += 1) {
    step = 0;
    const [taken, refused] = [server.taken.length, server.refusals.length];
    const asked = question(turn).trim();
    let problem: string | undefined;
    try {
      await agent.invoke({ messages: [{ role: "user", content: asked }] }, config);
    } catch (error) {
      problem = String(error instanceof Error ? error.message : error).split("\n", 1)[0];
    }
    const rules = server.refusals.slice(refused).flatMap((refusal) => refusal.rules);
    const sent = server.taken.slice(taken);
    const isAsked = sent.every((body) => JSON.stringify(body).includes(asked));
    const isWhole = sent.length === REQUESTS_OF_TURN;
    const reason =
      rules[0] ?? problem ?? (!isAsked ? "question-lost" : isWhole ? undefined : "cut-short");
    if (reason === undefined) sound += 1;
    else reasons[reason] = (reasons[reason] ?? 0) + 1;
  }
  return { sound, turns, reasons };
}

function modelAt(origin: string): ChatOpenAI {
  return new ChatOpenAI({
    model: "gpt-5.1",
    apiKey: "none",
    maxRetries: 0,
    configuration: { baseURL: `${origin}/v1` },
  });
}
