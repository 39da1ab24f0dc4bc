import { coerceMessageLikeToMessage, trimMessages } from "@langchain/core/messages";
import { TokenLimiterProcessor } from "@mastra/core/processors";
import { pruneMessages } from "ai";
import { ClearToolUsesEdit } from "langchain";

import { remembered } from "../../src/messages/remembered.ts";

// How others trim a conversation with thinking, on messages of Anthropic's API: what an SDK's converter would send of the result.

/** Each by its name: from all messages to those of the next request. */
export const reasoningWays = {
  "AI SDK pruneMessages": ({ toModel, fromModel }) => {
    return (messages) =>
      pruneMessages({
        messages: messages.map(toModel),
        reasoning: "before-last-message",
        toolCalls: "before-last-2-messages",
        emptyMessages: "remove",
      }).map(fromModel);
  },
  "LangChain trimMessages": ({ limit, count, toLangchain, fromLangchain }) => {
    const tokenCounter = (messages) =>
      messages.reduce((sum, message) => sum + count(fromLangchain(message)), 0);
    return async (messages) => {
      const all = messages.map(toLangchain);
      const how = { maxTokens: limit, strategy: "last", startOn: "human", tokenCounter };
      return (await trimMessages(all, how)).map(fromLangchain);
    };
  },
  "LangChain contextEditingMiddleware": ({ limit, count, toLangchain, fromLangchain }) => {
    const edit = new ClearToolUsesEdit({ trigger: { tokens: limit }, keep: { messages: 3 } });
    const countTokens = (messages) =>
      messages.reduce((sum, message) => sum + count(fromLangchain(message)), 0);
    return async (messages) => {
      const all = messages.map(toLangchain);
      await edit.apply({ messages: all, model: {}, countTokens });
      return all.map(fromLangchain);
    };
  },
  "Mastra TokenLimiter": ({ limit, toModel, fromModel }) => {
    const limiter = new TokenLimiterProcessor({ limit });
    return async (messages) => {
      const prompt = messages.map(toModel);
      return ((await limiter.processLLMRequest({ prompt }))?.prompt ?? prompt).map(fromModel);
    };
  },
};

/** Makes one way, which remembers what it converted. */
export function reasoningWay(name, given) {
  return reasoningWays[name]({
    ...given,
    toModel: remembered(toModel),
    fromModel: remembered(fromModel),
    toLangchain: remembered(toLangchain),
    fromLangchain: remembered(fromLangchain),
  });
}

function resultOf({ content: [block] }) {
  return block.type === "tool_result" ? block : undefined;
}

function toModel(message) {
  const result = message.role === "user" ? resultOf(message) : undefined;
  if (result !== undefined) {
    const output = { type: "text", value: result.content };
    const part = { type: "tool-result", toolCallId: result.tool_use_id, toolName: "look", output };
    return { role: "tool", content: [part] };
  }
  return { role: message.role, content: message.content.map(toPart) };
}

function toPart(block) {
  if (block.type === "text") return { type: "text", text: block.text };
  if (block.type === "tool_use") {
    return { type: "tool-call", toolCallId: block.id, toolName: block.name, input: block.input };
  }
  const anthropic = { signature: block.signature };
  return { type: "reasoning", text: block.thinking, providerOptions: { anthropic } };
}

function fromModel({ role, content }) {
  if (role !== "tool") return { role, content: content.map(fromPart) };
  const results = content.map(({ toolCallId, output }) => {
    return { type: "tool_result", tool_use_id: toolCallId, content: output.value };
  });
  return { role: "user", content: results };
}

function fromPart(part) {
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.type === "tool-call") {
    return { type: "tool_use", id: part.toolCallId, name: part.toolName, input: part.input };
  }
  const { signature } = part.providerOptions.anthropic;
  return { type: "thinking", thinking: part.text, signature };
}

function toLangchain(message) {
  const result = message.role === "user" ? resultOf(message) : undefined;
  if (result !== undefined) {
    const { tool_use_id: tool_call_id, content } = result;
    return coerceMessageLikeToMessage({ role: "tool", content, tool_call_id, name: "look" });
  }
  const calls = message.content.filter(({ type }) => type === "tool_use");
  const tool_calls = calls.map(({ id, name, input }) => ({ id, name, args: input }));
  return coerceMessageLikeToMessage({ ...message, ...(calls.length > 0 && { tool_calls }) });
}

function fromLangchain(message) {
  const { content, tool_call_id } = message;
  if (message.getType() === "ai") return { role: "assistant", content };
  if (message.getType() === "human") return { role: "user", content };
  return { role: "user", content: [{ type: "tool_result", tool_use_id: tool_call_id, content }] };
}
