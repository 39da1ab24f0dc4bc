import { fitMiddleware, fitStep } from "@agent-history/ai-sdk";
import type { JsonObject, JsonValue, ReductionPlan } from "@agent-history/core";
import { fitMessages, fitMiddleware as fitAgent } from "@agent-history/langchain";
import { createReducer, fitToWindow } from "@agent-history/reducer";
import { lexicalScorer } from "@agent-history/reducer/lexical";
import { createAnthropic } from "@ai-sdk/anthropic";
import { ChatAnthropic } from "@langchain/anthropic";
import { HumanMessage, SystemMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { generateText, isStepCount, tool, wrapLanguageModel } from "ai";
import type { ModelMessage } from "ai";
import { createAgent, tool as agentTool } from "langchain";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { toolResult } from "../src/loops/scripted-model.ts";
import { anthropicWire } from "../src/servers/anthropic-wire.ts";
import { isObject } from "../src/servers/read-wire.ts";
import { startStrictServer } from "../src/servers/start-strict-server.ts";
import { contextTokens, counters, instructions, runLoop } from "./test-support/run-loop.ts";
import type { Loop } from "./test-support/run-loop.ts";

const TURNS = 30;
const counter = counters.claude;
const ephemeral = { type: "ephemeral" } as const;

interface Way {
  readonly name: string;
  /** How many marks of the caller's each request has. */
  readonly own?: number;
  readonly start: (onPlan: (plan: ReductionPlan) => void) => Loop["start"];
}

const schema = z.object({ to: z.string() });
const options = (fit: object = {}) => ({
  reducer: createReducer({ counter, ...fit }),
  window: { contextTokens },
  cache: true,
});

const ways: readonly Way[] = [
  { name: "fitStep", start: aiSdk("step", false) },
  { name: "fitStep with recall blocks", start: aiSdk("step", false, { scorer: lexicalScorer() }) },
  { name: "fitMiddleware of the AI SDK", start: aiSdk("middleware", false) },
  { name: "fitStep beside marks of the caller", own: 2, start: aiSdk("step", true) },
  { name: "fitMiddleware beside marks of the caller", own: 2, start: aiSdk("middleware", true) },
  { name: "fitMiddleware of LangChain", start: langChain(false) },
  { name: "fitMiddleware of LangChain beside marks of the caller", own: 2, start: langChain(true) },
];

describe("cache marks for Claude", () => {
  it.each(ways)(
    "stand at the same places at the next call, at most four: $name",
    async ({ own = 0, start }) => {
      const plans: ReductionPlan[] = [];
      const { taken } = await runLoop({
        wire: anthropicWire,
        counter,
        turns: TURNS,
        start: start((plan) => plans.push(plan)),
      });
      const prompts = taken.map(promptOf);
      const cached = new Set<string>();
      let read = 0;
      let sent = 0;
      for (const [index, { blocks, marks }] of prompts.entries()) {
        const end = blocks.at(-1) ?? "";
        expect(marks.length).toBeLessThanOrEqual(4);
        expect(marks.length).toBeGreaterThan(own);
        // The end is written to the cache, and so are the instructions.
        expect(marks.at(-1)).toBe(blocks.length - 1);
        const behind = JSON.stringify({ type: "text", text: instructions });
        expect(marks.some((at) => blocks[at]?.endsWith(behind))).toBe(true);
        const hit = Math.max(0, ...marks.map((at) => readFrom(cached, blocks, at)));
        const isContinued = index > 0 && plans[index]?.continued?.stoppedBy === undefined;
        // All that was sent before is read, unless room was made: then the instructions are.
        if (isContinued) expect(hit).toBe(prompts[index - 1]?.blocks.at(-1)?.length);
        if (index > 0) expect(hit).toBeGreaterThan(instructions.length);
        for (const at of marks) cached.add(blocks[at] ?? "");
        read += hit;
        sent += end.length;
      }
      const cuts = plans.filter(({ continued }) => continued?.stoppedBy === "cut").length;
      expect(cuts).toBeGreaterThan(3);
      expect(read / sent).toBeGreaterThan(0.33);
    },
    120_000,
  );

  it("stand nowhere without `cache`, and beside four of the caller's", async () => {
    await using server = await startStrictServer({ wire: anthropicWire });
    const model = new ChatAnthropic({
      model: "claude-opus-5-5",
      apiKey: "none",
      maxRetries: 0,
      anthropicApiUrl: server.origin,
    });
    const messages = [
      new SystemMessage(instructions),
      new HumanMessage({
        content: [1, 2, 3, 4].map((at) => ({
          type: "text",
          text: `Part ${at}`,
          cache_control: ephemeral,
        })),
      }),
    ];
    const reducer = {
      name: "own",
      reduce: (entries: Parameters<typeof fitToWindow>[0], how: object) =>
        fitToWindow(entries, { counter, window: { contextTokens }, ...how }),
    };
    for (const cache of [false, true]) {
      const fitted = fitMessages<BaseMessage>(messages, {
        reducer,
        window: { contextTokens },
        cache,
      });
      await model.invoke(fitted.messages);
    }
    expect(server.refusals).toEqual([]);
    expect(server.taken.map((body) => promptOf(body).marks.length)).toEqual([4, 4]);
  });
});

function aiSdk(hook: "step" | "middleware", isMarked: boolean, fit: object = {}): Way["start"] {
  return (onPlan) => (origin) => {
    const own = { providerOptions: { anthropic: { cacheControl: ephemeral } } };
    const tools = {
      find: tool({
        description: "Finds flights.",
        inputSchema: schema,
        execute: (_, { toolCallId }) => toolResult(toolCallId),
        ...(isMarked && own),
      }),
    };
    const bare = createAnthropic({ apiKey: "none", baseURL: `${origin}/v1` })("claude-opus-5-5");
    const middleware = fitMiddleware({ ...options(fit), onPlan });
    const isStep = hook === "step";
    const model = isStep ? bare : wrapLanguageModel({ model: bare, middleware });
    const prepareStep = isStep && fitStep({ ...options(fit), onPlan });
    const messages: ModelMessage[] = [];
    return async (asked) => {
      messages.push({ role: "user", content: asked });
      const { responseMessages } = await generateText({
        model,
        instructions: isMarked ? { role: "system", content: instructions, ...own } : instructions,
        messages,
        tools,
        ...(prepareStep && { prepareStep }),
        stopWhen: isStepCount(10),
        maxRetries: 0,
      });
      messages.push(...responseMessages);
    };
  };
}

function langChain(isMarked: boolean): Way["start"] {
  return (onPlan) => (origin) => {
    const find = agentTool(({ to }) => toolResult(to), {
      name: "find",
      description: "Finds flights.",
      schema,
    });
    const agent = createAgent({
      model: new ChatAnthropic({
        model: "claude-opus-5-5",
        apiKey: "none",
        maxRetries: 0,
        anthropicApiUrl: origin,
      }),
      tools: [isMarked ? Object.assign(find, { extras: { cache_control: ephemeral } }) : find],
      systemPrompt: isMarked
        ? new SystemMessage({
            content: [{ type: "text", text: instructions, cache_control: ephemeral }],
          })
        : instructions,
      middleware: [fitAgent({ ...options(), onPlan })],
      checkpointer: new MemorySaver(),
    });
    return async (asked) =>
      agent.invoke(
        { messages: [{ role: "user", content: asked }] },
        { configurable: { thread_id: "t1" } },
      );
  };
}

/** Anthropic looks back over this many blocks from a mark for what was cached: "Prompt caching", "When to use multiple breakpoints". */
const LOOKBACK = 20;

function readFrom(cached: ReadonlySet<string>, blocks: readonly string[], mark: number): number {
  const near = blocks.slice(Math.max(0, mark + 1 - LOOKBACK), mark + 1);
  return near.findLast((prefix) => cached.has(prefix))?.length ?? 0;
}

/** Returns the prompt up to each of its blocks, as texts without marks, and which blocks have one. */
function promptOf({ tools, system, messages }: JsonObject): {
  readonly blocks: readonly string[];
  readonly marks: readonly number[];
} {
  const all = [
    ...listOf(tools),
    ...listOf(system),
    ...listOf(messages).flatMap(({ role = "", content }) =>
      listOf(content).map((block): JsonObject => ({ role, ...block })),
    ),
  ];
  let prompt = "";
  const blocks = all.map(({ cache_control: _, ...bare }) => (prompt += JSON.stringify(bare)));
  return { blocks, marks: all.flatMap((block, at) => ("cache_control" in block ? [at] : [])) };
}

function listOf(value: JsonValue | undefined): readonly JsonObject[] {
  if (typeof value === "string") return [{ type: "text", text: value }];
  return Array.isArray(value) ? value.filter((one) => isObject(one)) : [];
}
