import type Anthropic from "@anthropic-ai/sdk";
import { fitModelMessages } from "agent-history/ai-sdk";
import { fitAnthropicRequest } from "agent-history/anthropic";
import { fitChatMessages, fitResponseItems } from "agent-history/openai";
import type { ModelMessage } from "ai";
import type OpenAI from "openai";

/** What the SDKs type goes into the calls, and what comes out goes to the SDKs, without a cast. Compiled and not run. */

export function chat(
  messages: OpenAI.ChatCompletionMessageParam[],
  tools: OpenAI.ChatCompletionTool[],
): OpenAI.ChatCompletionCreateParamsNonStreaming {
  const fitted = fitChatMessages(messages, { model: "gpt-5", tools });
  return { model: "gpt-5", messages: fitted.messages, tools };
}

export function response(
  items: OpenAI.Responses.ResponseInputItem[],
  tools: OpenAI.Responses.Tool[],
): OpenAI.Responses.ResponseCreateParamsNonStreaming {
  const fitted = fitResponseItems(items, { model: "gpt-5", tools });
  return { model: "gpt-5", input: fitted.items, tools };
}

export function request(
  messages: Anthropic.MessageParam[],
  tools: Anthropic.ToolUnion[],
): Anthropic.MessageCreateParamsNonStreaming {
  const { request: fitted } = fitAnthropicRequest(messages, { model: "claude-opus-5-5", tools });
  return { model: "claude-opus-5-5", max_tokens: 64, ...fitted };
}

export function prompt(messages: ModelMessage[]): ModelMessage[] {
  return fitModelMessages(messages, { model: "gpt-5" }).messages;
}
