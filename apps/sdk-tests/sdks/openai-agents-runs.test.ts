import type { ReductionPlan } from "@agent-history/core";
import { fitModelInput, historySession, ownTraceFilter } from "@agent-history/openai-agents";
import { createReducer } from "@agent-history/reducer";
import { lexicalScorer } from "@agent-history/reducer/lexical";
import { memoryStore } from "@agent-history/store-kit";
import { tiktokenCounter } from "@agent-history/tokens";
import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from "@openai/agents";
import OpenAI from "openai";
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

setTracingDisabled(true);

const TURNS = 50;
const contextTokens = 8000;
const counter = tiktokenCounter({ encoding: "o200k_base" });
const window = { contextTokens, countText: (text: string) => counter.countText(text) };

const find = tool({
  name: "find",
  description: "Finds flights.",
  parameters: z.object({ to: z.string() }),
  execute: ({ to }) => toolResult(to),
});
const desk = new Agent({ name: "Desk", instructions: "You take complaints.", tools: [find] });
const agent = new Agent({
  name: "Booking",
  instructions: "You book flights.",
  model: "gpt-5.1",
  tools: [find],
  handoffs: [desk],
});

const wires = [
  { name: "chat completions", wire: openaiChatWire, useResponses: false },
  { name: "Responses", wire: openaiResponsesWire, useResponses: true },
];
const scorers = [
  { how: "", fit: {} },
  { how: " and recall blocks", fit: { scorer: lexicalScorer() } },
];

describe.each(wires)("runs of the OpenAI Agents SDK with a session, through $name", (api) => {
  const { wire, useResponses } = api;
  const runnerAt = (origin: string): Runner => {
    const openAIClient = new OpenAI({ apiKey: "none", baseURL: `${origin}/v1`, maxRetries: 0 });
    const modelProvider = new OpenAIProvider({ openAIClient, useResponses });
    return new Runner({ modelProvider });
  };

  it.each(scorers)(
    "have no request of 50 turns refused, and none over the window$how",
    async ({ fit }) => {
      await using server = await startStrictServer({ wire, reply: scriptedModel, window });
      const plans: ReductionPlan[] = [];
      const reducer = createReducer({ counter, ...fit });
      const callModelInputFilter = fitModelInput({
        reducer,
        window: { contextTokens },
        onPlan: (plan) => plans.push(plan),
      });
      const session = historySession({ store: memoryStore(), threadId: "t1" });
      const runner = runnerAt(server.origin);
      for (let turn = 0; turn < TURNS; turn += 1) {
        await runner.run(agent, question(turn), { session, callModelInputFilter });
      }
      expect(server.refusals).toEqual([]);
      expect(server.taken).toHaveLength(TURNS * REQUESTS_OF_TURN);
      expect(Math.max(...server.tokens)).toBeLessThanOrEqual(contextTokens);
      expect(Math.max(...server.tokens)).toBeGreaterThan(contextTokens / 2);
      expect(plans.filter(({ continued }) => continued !== undefined)).toHaveLength(
        plans.length - 1,
      );
      // What a call left out stays in the session.
      const items = await session.getItems<{ type?: string; role?: string; content?: unknown }>();
      const questions = items.filter(({ role }) => role === "user");
      expect(questions.map(({ content }) => content)).toEqual(
        Array.from({ length: TURNS }, (_, turn) => question(turn)),
      );
      const outputs = items.filter(({ type }) => type === "function_call_result");
      expect(outputs).toHaveLength(TURNS * 3);
      expect(JSON.stringify(outputs)).toContain(toolResult("call_0_a"));
    },
  );

  it("have no request refused where runs are streamed and agents hand over", async () => {
    const reply: typeof scriptedModel = (body, index) => {
      const mayHandOver = JSON.stringify(body["tools"]).includes("transfer_to_Desk");
      if (!mayHandOver || index % 7 !== 3) return scriptedModel(body, index);
      return { calls: [{ id: `over_${index}`, name: "transfer_to_Desk", arguments: "{}" }] };
    };
    await using server = await startStrictServer({ wire, reply, window });
    const reducer = createReducer({ counter });
    const callModelInputFilter = fitModelInput({ reducer, window: { contextTokens } });
    const session = historySession({ store: memoryStore(), threadId: "t1" });
    const runner = runnerAt(server.origin);
    const speakers = new Set<string | undefined>();
    for (let turn = 0; turn < TURNS; turn += 1) {
      const options = { session, callModelInputFilter, stream: true } as const;
      const run = await runner.run(agent, question(turn), options);
      await run.completed;
      speakers.add(run.lastAgent?.name);
    }
    expect(server.refusals).toEqual([]);
    expect(Math.max(...server.tokens)).toBeLessThanOrEqual(contextTokens);
    expect(speakers).toEqual(new Set(["Booking", "Desk"]));
  });

  it("send an agent after a handoff the conversation and its own calls alone", async () => {
    const reply: typeof scriptedModel = (body, index) => {
      if (JSON.stringify(body).includes("You take complaints.")) return { text: "Noted." };
      if (index % 3 === 0)
        return { calls: [{ id: `c${index}`, name: "find", arguments: '{"to":"SALARY"}' }] };
      return { calls: [{ id: `over_${index}`, name: "transfer_to_Desk", arguments: "{}" }] };
    };
    await using server = await startStrictServer({ wire, reply, window });
    const reducer = createReducer({ counter });
    const filter = ownTraceFilter();
    const callModelInputFilter = fitModelInput({ reducer, window: { contextTokens }, filter });
    const session = historySession({ store: memoryStore(), threadId: "t1" });
    const runner = runnerAt(server.origin);
    for (let turn = 0; turn < TURNS; turn += 1) {
      await runner.run(agent, question(turn), { session, callModelInputFilter });
    }
    expect(server.refusals).toEqual([]);
    const bodies = server.taken.map((body) => JSON.stringify(body));
    const [desks, bookings] = [true, false].map((isDesk) =>
      bodies.filter((body) => body.includes("You take complaints.") === isDesk),
    );
    expect(desks).toHaveLength(TURNS);
    expect(desks?.filter((body) => /SALARY|transfer_to/.test(body))).toEqual([]);
    expect(desks?.at(-1)).toContain("Noted.");
    expect(bookings?.filter((body) => body.includes("SALARY")).length).toBeGreaterThan(TURNS);
  });

  it("count what stands beside the items: tools, handoffs and the form of the answer", async () => {
    await using server = await startStrictServer({
      wire,
      reply: () => ({ text: '{"flight":"AZ1"}' }),
      window,
    });
    const plans: ReductionPlan[] = [];
    const callModelInputFilter = fitModelInput({
      reducer: createReducer({ counter }),
      window: { contextTokens },
      onPlan: (plan) => plans.push(plan),
    });
    const outputType = z.object({
      flight: z.string().nullish(),
      seats: z.array(z.string()).nullish(),
    });
    const runner = runnerAt(server.origin);
    const beside = { model: "gpt-5.1", tools: [find], handoffs: [desk] };
    const agents = [
      new Agent({ name: "Bare", model: "gpt-5.1" }),
      new Agent({ name: "Tools", model: "gpt-5.1", tools: [find] }),
      new Agent({ name: "Both", ...beside }),
    ];
    for (const one of agents) await runner.run(one, "Hello.", { callModelInputFilter });
    await runner.run(Agent.create({ name: "All", ...beside, outputType }), "Hello.", {
      callModelInputFilter,
    });
    const counted = plans.map(({ totalTokens }) => totalTokens);
    expect(counted).toEqual([...new Set(counted)].toSorted((one, other) => one - other));
    expect(counted).toHaveLength(4);
    for (const [index, sent] of server.tokens.entries()) {
      expect(counted[index]).toBeGreaterThanOrEqual(sent);
    }
  });
});
