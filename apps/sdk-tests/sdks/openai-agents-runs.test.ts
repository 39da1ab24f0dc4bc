import type { ReductionPlan } from "@agent-history/core";
import { fitModelInput, historySession, ownTraceFilter } from "@agent-history/openai-agents";
import { createReducer } from "@agent-history/reducer";
import { memoryStore } from "@agent-history/store-kit";
import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from "@openai/agents";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { question, scriptedModel, toolResult } from "../src/loops/scripted-model.ts";
import { openaiChatWire } from "../src/servers/openai-chat-wire.ts";
import { openaiResponsesWire } from "../src/servers/openai-responses-wire.ts";
import { startStrictServer } from "../src/servers/start-strict-server.ts";
import {
  contextTokens,
  counters,
  instructions,
  recalls,
  runLoop,
  TURNS,
} from "./test-support/run-loop.ts";

setTracingDisabled(true);

const counter = counters.gpt;

const find = tool({
  name: "find",
  description: "Finds flights.",
  parameters: z.object({ to: z.string() }),
  execute: ({ to }) => toolResult(to),
});
const desk = new Agent({ name: "Desk", instructions: "You take complaints.", tools: [find] });
const agent = new Agent({
  name: "Booking",
  instructions,
  model: "gpt-5.1",
  tools: [find],
  handoffs: [desk],
});

const wires = [
  { name: "chat completions", wire: openaiChatWire, useResponses: false },
  { name: "Responses", wire: openaiResponsesWire, useResponses: true },
];
describe.each(wires)("runs of the OpenAI Agents SDK with a session, through $name", (api) => {
  const { wire, useResponses } = api;
  const runnerAt = (origin: string): Runner => {
    const openAIClient = new OpenAI({ apiKey: "none", baseURL: `${origin}/v1`, maxRetries: 0 });
    const modelProvider = new OpenAIProvider({ openAIClient, useResponses });
    return new Runner({ modelProvider });
  };

  it.each(recalls)(
    "have no request of 50 turns refused, and none over the window$how",
    async ({ fit }) => {
      const plans: ReductionPlan[] = [];
      const session = historySession({ store: memoryStore(), threadId: "t1" });
      const callModelInputFilter = fitModelInput({
        reducer: createReducer({ counter, ...fit }),
        window: { contextTokens },
        onPlan: (plan) => plans.push(plan),
      });
      const start = (origin: string) => {
        const runner = runnerAt(origin);
        return async (asked: string) => runner.run(agent, asked, { session, callModelInputFilter });
      };
      await runLoop({ wire, counter, start });
      const continued = plans.filter((plan) => plan.continued !== undefined);
      expect(continued).toHaveLength(plans.length - 1);
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
    const reducer = createReducer({ counter });
    const callModelInputFilter = fitModelInput({ reducer, window: { contextTokens } });
    const session = historySession({ store: memoryStore(), threadId: "t1" });
    const speakers = new Set<string | undefined>();
    const start = (origin: string) => {
      const runner = runnerAt(origin);
      return async (asked: string) => {
        const options = { session, callModelInputFilter, stream: true } as const;
        const run = await runner.run(agent, asked, options);
        await run.completed;
        speakers.add(run.lastAgent?.name);
      };
    };
    await runLoop({ wire, counter, reply, start, requests: "any" });
    expect(speakers).toEqual(new Set(["Booking", "Desk"]));
  });

  it("send an agent after a handoff the conversation and its own calls alone", async () => {
    const reply: typeof scriptedModel = (body, index) => {
      if (JSON.stringify(body).includes("You take complaints.")) return { text: "Noted." };
      if (index % 3 === 0)
        return { calls: [{ id: `c${index}`, name: "find", arguments: '{"to":"SALARY"}' }] };
      return { calls: [{ id: `over_${index}`, name: "transfer_to_Desk", arguments: "{}" }] };
    };
    const callModelInputFilter = fitModelInput({
      reducer: createReducer({ counter }),
      window: { contextTokens },
      filter: ownTraceFilter(),
    });
    const session = historySession({ store: memoryStore(), threadId: "t1" });
    const start = (origin: string) => {
      const runner = runnerAt(origin);
      return async (asked: string) => runner.run(agent, asked, { session, callModelInputFilter });
    };
    const { taken } = await runLoop({ wire, counter, reply, start });
    const bodies = taken.map((body) => JSON.stringify(body));
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
      window: { contextTokens, countText: (text) => counter.countText(text) },
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
