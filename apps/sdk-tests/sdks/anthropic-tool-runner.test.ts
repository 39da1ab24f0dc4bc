import { fitToolRunner } from "@agent-history/anthropic";
import type { ReductionPlan } from "@agent-history/core";
import { createReducer } from "@agent-history/reducer";
import { estimatingCounter, tiktokenCounter } from "@agent-history/tokens";
import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { describe, expect, it } from "vitest";

import { question, toolResult } from "../src/loops/scripted-model.ts";
import { anthropicWire } from "../src/servers/anthropic-wire.ts";
import { startStrictServer } from "../src/servers/start-strict-server.ts";
import type { WireReply } from "../src/servers/wire.ts";

const ROUNDS = 50;
const contextTokens = 8000;
const counter = estimatingCounter({
  family: "claude",
  counter: tiktokenCounter({ encoding: "o200k_base" }),
});
const window = { contextTokens, countText: (text: string) => counter.countText(text) };

/** Calls the tool 50 times, twice at once in every other round, and answers. */
function reply(_: object, index: number): WireReply {
  const thinking = `Round ${index}.`;
  if (index >= ROUNDS) return { thinking, text: "All found." };
  const ids = index % 2 === 0 ? [`toolu_${index}`] : [`toolu_${index}_a`, `toolu_${index}_b`];
  return {
    thinking,
    calls: ids.map((id) => ({ id, name: "find", arguments: JSON.stringify({ to: id }) })),
  };
}

describe("fitToolRunner with the Anthropic SDK's tool runner", () => {
  it("sends 50 rounds of calls of which none is refused, and none over the window", async () => {
    await using server = await startStrictServer({ wire: anthropicWire, reply, window });
    const client = new Anthropic({ apiKey: "none", baseURL: server.origin, maxRetries: 0 });
    const runs: string[] = [];
    const find = betaTool({
      name: "find",
      description: "Finds flights.",
      inputSchema: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
      run: ({ to }) => {
        runs.push(to);
        return toolResult(to);
      },
    });
    const runner = client.beta.messages.toolRunner({
      model: "claude-opus-5-5",
      max_tokens: 1024,
      thread: false,
      system: "You book flights.",
      messages: [{ role: "user", content: question(1) }],
      tools: [find],
    });
    const plans: ReductionPlan[] = [];
    const answers: string[] = [];
    const reducer = createReducer({ counter });
    const fitted = fitToolRunner(runner, {
      reducer,
      window: { contextTokens },
      cache: {},
      onPlan: (plan) => plans.push(plan),
    });
    for await (const message of fitted) answers.push(message.stop_reason ?? "");

    expect(server.refusals).toEqual([]);
    expect(answers).toHaveLength(ROUNDS + 1);
    expect(answers.at(-1)).toBe("end_turn");
    // Each call ran once.
    expect(new Set(runs).size).toBe(runs.length);
    expect(runs).toHaveLength(75);
    expect(plans).toHaveLength(ROUNDS + 1);
    expect(server.taken).toHaveLength(ROUNDS + 1);
    expect(Math.max(...server.tokens)).toBeLessThanOrEqual(contextTokens);
    expect(Math.max(...server.tokens)).toBeGreaterThan(contextTokens / 2);
  });

  it("sends what the body of the loop pushes", async () => {
    await using server = await startStrictServer({ wire: anthropicWire });
    const client = new Anthropic({ apiKey: "none", baseURL: server.origin, maxRetries: 0 });
    const runner = client.beta.messages.toolRunner({
      model: "claude-opus-5-5",
      max_tokens: 1024,
      thread: false,
      messages: [{ role: "user", content: "Which flights?" }],
      tools: [],
    });
    let count = 0;
    for await (const _ of fitToolRunner(runner, {
      reducer: createReducer({ counter }),
      window: { contextTokens },
    })) {
      count += 1;
      if (count < 3) runner.pushMessages({ role: "user", content: `More, ${count}.` });
    }
    expect(server.refusals).toEqual([]);
    expect(
      server.taken.map(({ messages }) => (Array.isArray(messages) ? messages.length : 0)),
    ).toEqual([1, 3, 5]);
  });
});
