import { generateText } from "ai";
import type { ModelMessage } from "ai";
import type OpenAI from "openai";
import { describe, expectTypeOf, it } from "vitest";

import { fitModelMessages, fitStep } from "./ai-sdk.ts";
import { fitChatMessages, fitResponseItems } from "./openai.ts";

type Chat = OpenAI.Chat.Completions.ChatCompletionCreateParamsNonStreaming;
type Response = OpenAI.Responses.ResponseCreateParamsNonStreaming;

/** Written as a user writes it; compiled, never run. */
export function* chatLoop(history: Chat["messages"], tools: NonNullable<Chat["tools"]>) {
  let plan;
  for (;;) {
    const fitted = fitChatMessages(history, { model: "gpt-5", tools, previousPlan: plan });
    plan = fitted.plan;
    yield { model: "gpt-5", messages: fitted.messages, tools } satisfies Chat;
  }
}

/** As above. */
export function* responseLoop(
  history: OpenAI.Responses.ResponseInput,
  tools: NonNullable<Response["tools"]>,
) {
  let plan;
  for (;;) {
    const fitted = fitResponseItems(history, { model: "gpt-5", tools, previousPlan: plan });
    plan = fitted.plan;
    yield { model: "gpt-5", input: fitted.items, tools } satisfies Response;
  }
}

describe("agent-history with the SDKs' types", () => {
  it("gives what the OpenAI SDK takes", () => {
    expectTypeOf(fitChatMessages).returns.toExtend<Pick<Chat, "messages">>();
    expectTypeOf(fitResponseItems).returns.toExtend<{ items: NonNullable<Response["input"]> }>();
  });

  it("gives what the AI SDK takes", () => {
    expectTypeOf(fitModelMessages).returns.toExtend<{ messages: ModelMessage[] }>();
    const options = { model: "openai/gpt-5", prompt: "Hello." };
    expectTypeOf(generateText<Record<string, never>>).toBeCallableWith({
      ...options,
      prepareStep: fitStep({ model: "gpt-5" }),
    });
  });
});
