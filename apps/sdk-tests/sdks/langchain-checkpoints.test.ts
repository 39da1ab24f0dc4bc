import type { JsonValue, ReductionPlan } from "@agent-history/core";
import { fitMiddleware } from "@agent-history/langchain";
import { createReducer } from "@agent-history/reducer";
import { tiktokenCounter } from "@agent-history/tokens";
import { MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, createMiddleware } from "langchain";
import type { AgentMiddleware } from "langchain";
import { describe, expect, it } from "vitest";

import { openaiChatWire } from "../src/servers/openai-chat-wire.ts";
import { startStrictServer } from "../src/servers/start-strict-server.ts";

const TURNS = 60;
const counter = tiktokenCounter({ encoding: "o200k_base" });
const bare: AgentMiddleware = createMiddleware({
  name: "Bare",
  wrapModelCall: (request, handler) => handler(request),
});

describe("fitMiddleware and a checkpointer", () => {
  it.each([2000, 1_000_000])(
    "adds no checkpoint and at most a twentieth of the bytes, and its prefix outlives the process: window %d",
    async (contextTokens) => {
      const without = await run(() => [bare]);
      const plans: ReductionPlan[] = [];
      const fitted = await run(() => [
        fitMiddleware({
          reducer: createReducer({ counter }),
          window: { contextTokens },
          onPlan: (plan) => plans.push(plan),
        }),
      ]);

      expect(fitted.refusals).toEqual([]);
      expect(fitted.checkpoints).toBe(without.checkpoints);
      expect(fitted.bytes / without.bytes).toBeLessThan(1.05);
      expect(fitted.kept).toBeLessThan(300);
      let cuts = 0;
      for (const [index, { messages = [] }] of fitted.taken.entries()) {
        const before = fitted.taken[index - 1]?.messages;
        const text = JSON.stringify(before ?? []).slice(0, -1);
        if (JSON.stringify(messages).startsWith(text)) continue;
        cuts += 1;
        expect(plans[index]?.continued?.stoppedBy).toBe("cut");
      }
      expect(cuts > 3).toBe(contextTokens === 2000);
    },
    240_000,
  );

  it("keeps one plan of a step in which another middleware calls twice", async () => {
    // As one does that looks at the answer first.
    const twice: AgentMiddleware = createMiddleware({
      name: "Twice",
      wrapModelCall: async (request, handler) => {
        await handler(request);
        return handler(request);
      },
    });
    const reducer = createReducer({ counter });
    const window = { contextTokens: 2000 };
    const { refusals, taken, kept } = await run(
      () => [twice, fitMiddleware({ reducer, window })],
      3,
    );
    expect(refusals).toEqual([]);
    expect(taken).toHaveLength(6);
    expect(kept).toBeGreaterThan(0);
  });
});

/** Runs an agent, in a process of its own for each turn, and counts what its checkpointer holds. */
async function run(middlewareOf: (model: ChatOpenAI) => readonly AgentMiddleware[], turns = TURNS) {
  await using server = await startStrictServer({
    wire: openaiChatWire,
    reply: (_, index) => ({ text: `Answer ${index}: ${"word ".repeat(30)}` }),
  });
  const checkpointer = new MemorySaver();
  const config = { configurable: { thread_id: "t1" } };
  for (let turn = 0; turn < turns; turn += 1) {
    const model = new ChatOpenAI({
      model: "gpt-5.1",
      apiKey: "none",
      maxRetries: 0,
      useResponsesApi: false,
      configuration: { baseURL: `${server.origin}/v1` },
    });
    const agent = createAgent({
      model,
      tools: [],
      systemPrompt: "You book flights.",
      middleware: middlewareOf(model),
      checkpointer,
    });
    await agent.invoke(
      { messages: [{ role: "user", content: `Question ${turn}: ${"word ".repeat(20)}` }] },
      config,
    );
  }
  let checkpoints = 0;
  let bytes = 0;
  for (const byNamespace of Object.values(checkpointer.storage)) {
    for (const saved of Object.values(byNamespace)) {
      for (const values of Object.values(saved)) {
        checkpoints += 1;
        for (const value of values) if (value instanceof Uint8Array) bytes += value.length;
      }
    }
  }
  const { checkpoint } = (await checkpointer.getTuple(config)) ?? {};
  const own: unknown = checkpoint?.channel_values["_agentHistoryPlan"];
  const kept = own === undefined ? 0 : JSON.stringify(own).length;
  const {
    taken,
    refusals,
  }: { taken: readonly { readonly messages?: JsonValue }[]; refusals: readonly object[] } = server;
  return { taken, refusals, checkpoints, bytes, kept };
}
