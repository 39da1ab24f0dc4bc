import {
  continuation as continueMessages,
  fitAnthropicRequest,
  sendContinuation as sendMessages,
} from "@agent-history/anthropic";
import type { SentMessage } from "@agent-history/anthropic";
import type { ReductionPlan } from "@agent-history/core";
import { fitToWindow } from "@agent-history/reducer";
import Anthropic from "@anthropic-ai/sdk";
import { fitResponseItems, sendContinuation } from "agent-history/openai";
import type { SentResponse } from "agent-history/openai";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";

import { toolResult } from "../src/loops/scripted-model.ts";
import { anthropicWire } from "../src/servers/anthropic-wire.ts";
import { holdingWire } from "../src/servers/holding-wire.ts";
import type { HoldingWire } from "../src/servers/holding-wire.ts";
import { openaiResponsesWire } from "../src/servers/openai-responses-wire.ts";
import { contextTokens, counters, instructions, runLoop } from "./test-support/run-loop.ts";

const parameters = { type: "object", properties: { to: { type: "string" } } } as const;
const { gpt: counter, claude } = counters;

/** Each eleventh conversation has expired. */
const forgets = (index: number): boolean => index % 11 === 10;

describe("continuation", () => {
  it("sends OpenAI what is new, and the whole where room was made or the response is gone", async () => {
    const wire = holdingWire(openaiResponsesWire, "responses", forgets);
    const tools = [{ type: "function", name: "find", parameters, strict: false } as const];
    const plans: ReductionPlan[] = [];
    let last: SentResponse | undefined;
    const start = (origin: string) => {
      const client = new OpenAI({ apiKey: "none", baseURL: `${origin}/v1`, maxRetries: 0 });
      const items: OpenAI.Responses.ResponseInputItem[] = [];
      return async (asked: string) => {
        items.push({ role: "user", content: asked });
        for (let isDone = false; !isDone;) {
          const options = { counter, window: { contextTokens }, instructions, tools };
          const fitted = fitResponseItems(items, { ...options, previousPlan: plans.at(-1) });
          const response = await sendContinuation(fitted.items, last, async (request) =>
            client.responses.create({
              model: "gpt-5.1",
              instructions,
              tools,
              store: true,
              ...(request as { input: OpenAI.Responses.ResponseInputItem[] }),
            }),
          );
          plans.push(fitted.plan);
          last = { items: fitted.items, response };
          items.push(...(response.output as OpenAI.Responses.ResponseInputItem[]));
          isDone = true;
          for (const item of response.output) {
            if (item.type !== "function_call") continue;
            isDone = false;
            const { call_id } = item;
            items.push({ type: "function_call_output", call_id, output: toolResult(call_id) });
          }
        }
      };
    };
    const { taken } = await runLoop({ wire, counter, start });
    expectHeld(wire, taken, plans, (body) => body["previous_response_id"] === undefined);
  });

  it("sends Anthropic what is new, and the whole where room was made or the thread is gone", async () => {
    const wire = holdingWire(anthropicWire, "threads", forgets);
    const tools = [{ name: "find", input_schema: parameters }];
    const plans: ReductionPlan[] = [];
    let last: SentMessage<(typeof tools)[number]> | undefined;
    const start = (origin: string) => {
      const client = new Anthropic({ apiKey: "none", baseURL: origin, maxRetries: 0 });
      const messages: Anthropic.Beta.BetaMessageParam[] = [];
      return async (asked: string) => {
        messages.push({ role: "user", content: asked });
        for (let isDone = false; !isDone;) {
          const { request, plan } = fitAnthropicRequest(messages, {
            reducer: {
              name: "own",
              reduce: (entries, how) => fitToWindow(entries, { counter: claude, ...how }),
            },
            window: { contextTokens },
            system: instructions,
            tools,
            cache: true,
            previousPlan: plans.at(-1),
          });
          const message = await sendMessages(request, last, async (body) =>
            client.beta.messages.create({
              model: "claude-opus-5-5",
              max_tokens: 1000,
              betas: ["message-threads-2026-08-12"],
              ...(body as Pick<
                Anthropic.Beta.MessageCreateParamsNonStreaming,
                "messages" | "thread"
              >),
            }),
          );
          plans.push(plan);
          last = { request, message };
          messages.push({
            role: "assistant",
            content: message.content as Anthropic.Beta.BetaContentBlockParam[],
          });
          const calls = message.content.filter((block) => block.type === "tool_use");
          isDone = calls.length === 0;
          if (isDone) continue;
          const content = calls.map(
            ({ id }) =>
              ({ type: "tool_result", tool_use_id: id, content: toolResult(id) }) as const,
          );
          messages.push({ role: "user", content });
        }
      };
    };
    const { taken } = await runLoop({ wire, counter: claude, start });
    expectHeld(
      wire,
      taken,
      plans,
      (body) => Reflect.get(Object(body["thread"]), "type") === "create",
    );
    const changed = {
      ...last?.request,
      system: "Other.",
      messages: [...(last?.request.messages ?? [])],
    };
    expect(continueMessages(changed, last).thread).toEqual({ type: "create" });
  });
});

/** Each whole request has a reason: the first one, room that was made, a conversation that the server forgot. */
function expectHeld(
  wire: HoldingWire,
  taken: HoldingWire["received"],
  plans: readonly ReductionPlan[],
  isWhole: (body: HoldingWire["received"][number]) => boolean,
): void {
  const cuts = plans.filter(({ continued }) => continued?.stoppedBy !== undefined).length;
  expect(cuts).toBeGreaterThan(3);
  expect(wire.forgotten()).toBeGreaterThan(3);
  expect(wire.received.filter(isWhole)).toHaveLength(1 + cuts + wire.forgotten());
  const bytes = (bodies: readonly object[]): number => JSON.stringify(bodies).length;
  expect(bytes(wire.received)).toBeLessThan(bytes(taken) * 0.7);
}
