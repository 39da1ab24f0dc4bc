import Anthropic from "@anthropic-ai/sdk";
import { Agent } from "@mastra/core/agent";
import { fitPrompt, toToolDefinitions } from "agent-history/ai-sdk";
import { fitAnthropicRequest } from "agent-history/anthropic";
import { fitChatMessages, fitResponseItems } from "agent-history/openai";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";

// What a user writes in the first minute, as the guides print it: compiled against the newest SDKs, and never sent.

const anthropic = new Anthropic({ apiKey: "none" });
const openai = new OpenAI({ apiKey: "none" });
const messages = [{ role: "user" as const, content: "To Rome, please." }];

function anthropicCalls() {
  const model = "claude-opus-5-5";
  const bare = fitAnthropicRequest(messages, { model });
  const inline = fitAnthropicRequest(messages, {
    model,
    system: "You book flights.",
    tools: [
      {
        name: "find",
        description: "Finds flights.",
        input_schema: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
      },
    ],
  });
  const tools: Anthropic.ToolUnion[] = [{ type: "web_search_20250305", name: "web_search" }];
  const own = fitAnthropicRequest(messages, { model, tools });
  return [
    anthropic.messages.create({ model, max_tokens: 1000, ...bare.request }),
    anthropic.messages.create({ model, max_tokens: 1000, ...inline.request }),
    anthropic.messages.create({ model, max_tokens: 1000, ...own.request }),
  ];
}

function openaiCalls() {
  const model = "gpt-5";
  const parameters = { type: "object", properties: { to: { type: "string" } } };
  const chat = fitChatMessages(messages, {
    model,
    tools: [{ type: "function", function: { name: "find", parameters } }],
  });
  const items = fitResponseItems(messages, {
    model,
    tools: [{ type: "function", name: "find", parameters, strict: false }, { type: "web_search" }],
  });
  return [
    openai.chat.completions.create({ model, messages: chat.messages }),
    openai.responses.create({ model, input: items.items }),
  ];
}

type Definitions = Awaited<ReturnType<typeof toToolDefinitions>>;
type State = Record<string, unknown>;
const fit = fitPrompt({ model: "gpt-5" });
const fitProcessor = {
  id: "fit",
  processInputStep: async ({ tools, state }: { tools?: object | undefined; state: State }) => {
    state["tools"] = await toToolDefinitions({ ...tools }); // so that they count
    return {};
  },
  processLLMRequest: async <Prompt extends object[]>(call: { prompt: Prompt; state: State }) => ({
    prompt: await fit({ prompt: call.prompt, tools: call.state["tools"] as Definitions }),
  }),
};

describe("what a user writes first", () => {
  it("is what the newest SDKs take", () => {
    expect([anthropicCalls, openaiCalls].every((one) => typeof one === "function")).toBe(true);
    const inputProcessors = [fitProcessor];
    const agent = { id: "a", name: "A", instructions: "Be brief.", model: "openai/gpt-5" };
    expect(new Agent({ ...agent, inputProcessors }).id).toBe("a");
  });
});
