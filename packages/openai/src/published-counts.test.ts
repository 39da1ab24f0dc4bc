import type { HistoryEntry } from "@agent-history/core";
import { fitToWindow } from "@agent-history/reducer";
import { tiktokenCounter } from "@agent-history/tokens";
import { describe, expect, it } from "vitest";

import { fromChatMessages } from "./chat-messages.ts";
import { fromResponseItems } from "./response-items.ts";
import { toResponseItems } from "./response-items.ts";
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

  it("are 18 below those of responses, Text input (36) and Streaming (37): no recorded request costs these 18", () => {
    const story = "Tell me a three sentence bedtime story about a unicorn.";
    const told = tokensOf(fromResponseItems([hello], { instructions }));
    const untold = tokensOf(fromResponseItems([{ role: "user", content: story }]));
    expect([untold, told]).toEqual([36 - 18, 37 - 18]);
  });
});

// What OpenAI's API said in `usage` for requests that others recorded and published.
describe("counts of recorded requests", () => {
  const user = (content: string) => ({ role: "user", content }) as const;
  const number = { type: "number" };
  const add = {
    type: "function",
    name: "add",
    description: "Add two numbers together.",
    parameters: { type: "object", properties: { a: number, b: number }, required: ["a", "b"] },
  };
  const location = { type: "string", description: "The city and state, e.g. San Francisco, CA" };
  const weather = {
    type: "function",
    name: "get_weather",
    description: "Get the current weather for a location",
    parameters: { type: "object", properties: { location }, required: ["location"] },
  };

  // github.com/mrchantey/beet, skills/openresponses/compliance-suite.md: the Open Responses compliance suite against gpt-4o-mini, January 2026.
  // github.com/coder/aibridge, fixtures/openai/responses/blocking: simple (gpt-4o-mini).
  it.each([
    ["Basic Text Response", 15, [user("Say hello in exactly 3 words.")]],
    ["Streaming Response", 15, [user("Count from 1 to 5.")]],
    [
      "System Prompt",
      25,
      [
        { role: "system", content: "You are a pirate. Always respond in pirate speak." },
        user("Say hello."),
      ],
    ],
    [
      "Multi-turn Conversation",
      40,
      [
        user("My name is Alice."),
        { role: "assistant", content: "Hello Alice! Nice to meet you. How can I help you today?" },
        user("What is my name?"),
      ],
    ],
    ["simple", 11, [user("tell me a joke")]],
  ] as const)("are equal for responses, %s: %d", (_, reported, items) => {
    expect(tokensOf(fromResponseItems(items))).toBe(reported);
  });

  // The same files; the tool `add` of single_builtin_tool (gpt-4.1).
  it.each([
    ["Tool Calling", 61, 63, user("What's the weather like in San Francisco?"), weather],
    [
      "single_builtin_tool",
      58,
      66,
      user("Is 3 + 5 a prime number? Use the add function to calculate the sum."),
      add,
    ],
  ])("are not below those of responses with a tool, %s: %d, counted %d", (...example) => {
    const [, reported, counted, item, tool] = example;
    expect(counted).toBeGreaterThanOrEqual(reported);
    expect(tokensOf(fromResponseItems([item]), { tools: [tool] })).toBe(counted);
  });

  // github.com/coder/aibridge, fixtures/openai/chatcompletions: simple and single_builtin_tool (gpt-4.1).
  it("are equal for chat completions, with a tool too: 19, 60", () => {
    const parameters = {
      properties: { path: { type: "string" } },
      required: ["path"],
      type: "object",
    };
    const description = "Read the contents of a file at the given path.";
    const readFile = { type: "function", function: { name: "read_file", description, parameters } };
    const asks = user("how large is the README.md file in my current path");

    const angels = user("how many angels can dance on the head of a pin\n");
    expect(tokensOf(fromChatMessages([angels]))).toBe(19);
    expect(tokensOf(fromChatMessages([asks]), { tools: [readFile] })).toBe(60);
  });
});

describe("fromResponseItems with instructions", () => {
  it("counts them in a fit, and toResponseItems leaves them to the request", () => {
    const entries = fromResponseItems([hello], { instructions, now: () => 0 });
    const counter = tiktokenCounter({ encoding: "o200k_base" });
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
  const counter = tiktokenCounter({ encoding });
  const request = counter.countRequest(toToolDefinitions(tools));
  return entries.reduce((sum, entry) => sum + counter.countEntry(entry), request);
}
