import { countRequest as countAnthropic, fitAnthropicRequest } from "@agent-history/anthropic";
import { isHistoryError } from "@agent-history/core";
import type {
  JsonObject,
  ReductionPlan,
  ReductionRequest,
  TokenCounter,
} from "@agent-history/core";
import { fitForTarget } from "@agent-history/format-kit";
import type { RequestCount } from "@agent-history/format-kit";
import {
  chatTarget,
  countRequest,
  fromChatMessages,
  fromResponseItems,
  responseTarget,
  toChatMessages,
  toResponseItems,
} from "@agent-history/openai";
import type { OpenAIHost } from "@agent-history/openai";
import { fitToWindow } from "@agent-history/reducer";
import { modelCounter } from "@agent-history/tokens";
import { describe, expect, it } from "vitest";

import {
  anthropicOfTalk,
  bodyOf,
  chatOfTalk,
  compare,
  itemsOfTalk,
  newComparison,
  talkOf,
  weighBody,
} from "../test-support/whole-requests.ts";
import type { Talk } from "../test-support/whole-requests.ts";

interface Sender {
  readonly name: string;
  readonly model: string;
  /** What an image of 512 × 512 pixels has. */
  readonly imageTokens: number;
  readonly fit: (
    talk: Talk,
    counter: TokenCounter,
  ) => {
    readonly plan: ReductionPlan;
    readonly body: JsonObject;
    /** The fitted request, counted. */
    readonly count: RequestCount;
  };
}

const senders: readonly Sender[] = [
  ...[
    { model: "gpt-5.1", imageTokens: 210 },
    { model: "gpt-4-turbo", imageTokens: 255 },
  ].map((one): Sender => ({
    ...one,
    name: "chat completions",
    fit: (talk, by) => fitChat(talk, by),
  })),
  // A host that takes every field.
  {
    name: "chat completions at a compatible host",
    model: "gpt-5.1",
    imageTokens: 210,
    fit: (talk, by) => fitChat(talk, by, "compatible"),
  },
  { name: "Responses", model: "gpt-5.1", imageTokens: 210, fit: fitItems },
  { name: "Anthropic", model: "claude-opus-5-5", imageTokens: 361, fit: fitAnthropic },
];

describe("a whole request", () => {
  it.each(senders)(
    "counts no less tokens than its body has, and its bytes and images: $name, $model",
    ({ model, imageTokens, fit }) => {
      const counter = modelCounter(model);
      const exact = modelCounter(model.startsWith("gpt") ? model : "gpt-5.1");
      const sum = newComparison();
      for (let seed = 1; seed <= 150; seed += 1) {
        const talk = talkOf(seed);
        const fitted = unlessTooSmall(() => fit(talk, counter));
        if (fitted === undefined) continue;
        const weighed = weighBody(fitted.body, (text) => exact.countText(text), imageTokens);
        compare(sum, seed, fitted.plan, weighed);
        expect(fitted.plan.totalTokens).toBeLessThanOrEqual(talk.contextTokens);
      }
      expect(sum.low).toEqual([]);
      expect(sum.requests).toBeGreaterThan(100);
      expect(sum.countedBytes).toBe(sum.bytes);
      if (model.startsWith("gpt")) expect(sum.counted).toBeLessThan(1.35 * sum.tokens);
    },
  );
});

describe("countRequest", () => {
  it.each(senders)(
    "counts a request as the plan of its fit does, by parts that add up: $name, $model",
    ({ name, model, fit }) => {
      const counter = modelCounter(model);
      const seen = { reasoning: 0, media: 0, tools: 0, cut: 0 };
      for (let seed = 1; seed <= 60; seed += 1) {
        const talk = talkOf(seed);
        for (const contextTokens of [talk.contextTokens, 1_000_000]) {
          const fitted = unlessTooSmall(() => fit({ ...talk, contextTokens }, counter));
          if (fitted === undefined) continue;
          const { plan, count } = fitted;
          const { totalTokens, totalBytes, totalImages, estimated } = plan;
          expect({ seed, ...count }).toMatchObject({
            seed,
            tokens: totalTokens,
            bytes: totalBytes,
            images: totalImages,
          });
          expect(Object.values(count.parts).reduce((sum, part) => sum + part)).toBe(totalTokens);
          expect(count.estimate?.tokens).toBe(estimated === true ? totalTokens : undefined);
          if (count.parts.reasoning > 0) seen.reasoning += 1;
          if (count.parts.media > 0) seen.media += 1;
          if (count.parts.tools > 0) seen.tools += 1;
          if (plan.decisions.some(({ action }) => action.kind !== "keep")) seen.cut += 1;
        }
      }
      expect(Math.min(seen.media, seen.tools, seen.cut)).toBeGreaterThan(10);
      if (name !== "chat completions") expect(seen.reasoning).toBeGreaterThan(10);
    },
  );
});

function fitChat(
  talk: Talk,
  counter: TokenCounter,
  host: OpenAIHost = "openai",
): ReturnType<Sender["fit"]> {
  const entries = fromChatMessages(chatOfTalk(talk).map((one) => ({ role: "", ...one })));
  const { entries: sent, plan } = fitForTarget(
    chatTarget({ host }),
    entries,
    asked(talk, counter),
    fitToWindow,
  );
  const tools = talk.tools.map((tool) => ({ type: "function", function: { ...tool } }));
  const messages = toChatMessages(sent);
  const count = countRequest({ counter, host, messages, ...withTools(tools) });
  return { plan, count, body: bodyOf({ messages, ...withTools(tools) }) };
}

function fitItems(talk: Talk, counter: TokenCounter): ReturnType<Sender["fit"]> {
  const { instructions, tools } = talk;
  const entries = fromResponseItems(itemsOfTalk(talk), { instructions });
  const { entries: sent, plan } = fitForTarget(
    responseTarget(),
    entries,
    asked(talk, counter),
    fitToWindow,
  );
  const listed = tools.map((tool) => ({ type: "function", ...tool }));
  const request = { instructions, input: toResponseItems(sent), ...withTools(listed) };
  return { plan, count: countRequest({ counter, ...request }), body: bodyOf(request) };
}

function fitAnthropic(talk: Talk, counter: TokenCounter): ReturnType<Sender["fit"]> {
  const { instructions, tools, contextTokens } = talk;
  const listed = tools.map(({ name, description, parameters }) => ({
    name,
    description,
    input_schema: parameters,
  }));
  const { request, plan } = fitAnthropicRequest(
    anthropicOfTalk(talk).map((one) => ({ role: "", ...one })),
    {
      system: instructions,
      ...withTools(listed),
      window: { contextTokens },
      reducer: { name: "own", reduce: (entries, how) => fitToWindow(entries, { counter, ...how }) },
    },
  );
  return { plan, count: countAnthropic({ counter, ...request }), body: bodyOf(request) };
}

function asked(
  talk: Talk,
  counter: TokenCounter,
): ReductionRequest & { readonly counter: TokenCounter } {
  return { window: { contextTokens: talk.contextTokens }, counter, tools: talk.tools };
}

function withTools(tools: readonly object[]): object {
  return tools.length > 0 ? { tools } : {};
}

function unlessTooSmall<Result>(run: () => Result): Result | undefined {
  try {
    return run();
  } catch (error) {
    if (isHistoryError(error, "WINDOW_TOO_SMALL")) return undefined;
    throw error;
  }
}
