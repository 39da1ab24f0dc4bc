import type { HistoryEntry } from "@agent-history/core";
import { fitToWindow } from "@agent-history/reducer";
import { gptTokenizerCounter } from "@agent-history/tokens/gpt-tokenizer";
import { describe, expect, it } from "vitest";

import { fromChatMessages } from "./from-chat-messages.ts";
import { fromResponseItems } from "./from-response-items.ts";
import { toResponseItems } from "./to-response-items.ts";
import { toToolDefinitions } from "./to-tool-definitions.ts";

const hello = { role: "user", content: "Hello!" } as const;
const instructions = "You are a helpful assistant.";

// OpenAI's API reference, the examples of "Create chat completion" and "Create a model response", with the usage that they show.
describe("counts of the examples in OpenAI's API reference", () => {
  it.each(["o200k_base", "cl100k_base"] as const)(
    "are equal for chat completions, Default, by %s: 19",
    (encoding) => {
      const chat = [{ role: "developer", content: instructions }, hello] as const;
      expect(tokensOf(fromChatMessages(chat), { encoding })).toBe(19);
    },
  );

  it("are equal for chat completions, Functions: 82", () => {
    const parameters = {
      type: "object",
      properties: {
        location: { type: "string", description: "The city and state, e.g. San Francisco, CA" },
        unit: { type: "string", enum: ["celsius", "fahrenheit"] },
      },
      required: ["location"],
    };
    const description = "Get the current weather in a given location";
    const tool = {
      type: "function",
      function: { name: "get_current_weather", description, parameters },
    };
    const chat = [{ role: "user", content: "What is the weather like in Boston today?" }] as const;
    // The usage is of November 2023, of a model with this encoding.
    expect(tokensOf(fromChatMessages(chat), { encoding: "cl100k_base", tools: [tool] })).toBe(82);
  });

  it("differ as published between responses with instructions (Streaming, 37) and without (Text input, 36)", () => {
    const story = "Tell me a three sentence bedtime story about a unicorn.";
    const told = tokensOf(fromResponseItems([hello], { instructions }));
    const untold = tokensOf(fromResponseItems([{ role: "user", content: story }]));
    // Both have 18 tokens more there, which no rule explains.
    expect([told, untold]).toEqual([37 - 18, 36 - 18]);
  });
});

describe("fromResponseItems with instructions", () => {
  it("counts them in a fit, and toResponseItems leaves them to the request", () => {
    const entries = fromResponseItems([hello], { instructions, now: () => 0 });
    const counter = gptTokenizerCounter({ encoding: "o200k_base" });
    const { entries: fitted, plan } = fitToWindow(entries, {
      window: { contextTokens: 19 },
      counter,
    });

    expect(plan.totalTokens).toBe(19);
    expect(toResponseItems(fitted)).toEqual([hello]);
    expect(() => fitToWindow(entries, { window: { contextTokens: 18 }, counter })).toThrow(
      expect.objectContaining({ code: "WINDOW_TOO_SMALL" }),
    );
  });

  it("gives them the same id each time, another one than any item has, and none without them", () => {
    const items = [hello, hello];
    const ids = fromResponseItems(items, { instructions }).map(({ id }) => id);
    expect(fromResponseItems(items, { instructions }).map(({ id }) => id)).toEqual(ids);
    expect(new Set(ids).size).toBe(3);
    expect(ids.slice(1)).toEqual(fromResponseItems(items).map(({ id }) => id));
    const without = fromResponseItems(items, { instructions: null });
    expect(without.map(({ id }) => id)).toEqual(ids.slice(1));
  });

  it("refuses what is no text", () => {
    expect(() => fromResponseItems([hello], { instructions: 5 as never })).toThrow(
      expect.objectContaining({ code: "INVALID_OPTION", details: { option: "instructions" } }),
    );
  });
});

function tokensOf(
  entries: readonly HistoryEntry[],
  {
    encoding = "o200k_base",
    tools = [],
  }: {
    readonly encoding?: "o200k_base" | "cl100k_base";
    readonly tools?: readonly { readonly type: string }[];
  } = {},
): number {
  const counter = gptTokenizerCounter({ encoding });
  const request = counter.countRequest(toToolDefinitions(tools));
  return entries.reduce((sum, entry) => sum + counter.countEntry(entry), request);
}
