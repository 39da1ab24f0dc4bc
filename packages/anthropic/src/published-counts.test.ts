import type { HistoryEntry } from "@agent-history/core";
import { estimatingCounter, tiktokenCounter } from "@agent-history/tokens";
import { describe, expect, it } from "vitest";

import { fromAnthropicMessages } from "./anthropic-messages.ts";
import { toToolDefinitions } from "./to-tool-definitions.ts";
import type { AnthropicTool } from "./to-tool-definitions.ts";

// Claude's tokenizer is not public, so that no count can be equal: an estimate must not be below.
const counter = estimatingCounter({
  family: "claude",
  counter: tiktokenCounter({ encoding: "o200k_base" }),
});

// Anthropic, "Token counting" (platform.claude.com/docs/en/build-with-claude/token-counting), with what its API answered.
describe("estimates of the examples in Anthropic's guide to token counting", () => {
  it("are not below that of basic messages: 14", () => {
    const messages = [{ role: "user", content: "Hello, Claude" }];
    const entries = fromAnthropicMessages(messages, { system: "You are a scientist" });

    expect(tokensOf(entries)).toBeGreaterThanOrEqual(14);
    expect(tokensOf(entries)).toBeLessThan(2 * 14);
  });

  it("are not below that of messages with tools: 403", () => {
    const location = { type: "string", description: "The city and state, e.g. San Francisco, CA" };
    const tool = {
      name: "get_weather",
      description: "Get the current weather in a given location",
      input_schema: { type: "object", properties: { location }, required: ["location"] },
    } as const;
    const question = "What's the weather like in San Francisco?";
    const entries = fromAnthropicMessages([{ role: "user", content: question }]);

    expect(tokensOf(entries, [tool])).toBeGreaterThanOrEqual(403);
    expect(tokensOf(entries, [tool])).toBeLessThan(3 * 403);
  });

  it("are not below that of messages with thinking: 88", () => {
    const thinking = "This is a nice number theory question. Lets think about it step by step...";
    const signature = "EuYBCkQYAiJAgCs1le6/Pol5Z4/JMomVOouGrWdhYNsH3ukzUECbB6iWrSQtsQuRHJID6lWV...";
    const answer = "Yes, there are infinitely many prime numbers p such that p mod 4 = 3...";
    const entries = fromAnthropicMessages([
      {
        role: "user",
        content: "Are there an infinite number of prime numbers such that n mod 4 == 3?",
      },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking, signature },
          { type: "text", text: answer },
        ],
      },
      { role: "user", content: "Can you write a formal proof?" },
    ]);

    expect(tokensOf(entries)).toBeGreaterThanOrEqual(88);
    expect(tokensOf(entries)).toBeLessThan(3 * 88);
  });
});

function tokensOf(entries: readonly HistoryEntry[], tools: readonly AnthropicTool[] = []): number {
  const request = counter.countRequest(toToolDefinitions(tools));
  return entries.reduce((sum, entry) => sum + counter.countEntry(entry), request);
}
