import {
  action,
  type HistoryEntry,
  isHistoryError,
  observation,
  systemMessage,
  type TokenCounter,
  userMessage,
} from "@agent-history/core";
import { describe, expect, it } from "vitest";

import type { OpenaiCounterOptions } from "./internal/openai-counter.ts";
import { tiktokenCounter } from "./tiktoken-counter.ts";

// OpenAI cookbook, "How to count tokens with tiktoken", sections 6 and 7: its example messages and its weather tool.
const jargon = [
  system(
    "You are a helpful, pattern-following assistant that translates corporate jargon into plain English.",
  ),
  system("New synergies will help drive top-line growth.", "example_user"),
  system("Things working well together will increase revenue.", "example_assistant"),
  system(
    "Let's circle back when we have more bandwidth to touch base on opportunities for increased leverage.",
    "example_user",
  ),
  system("Let's talk later when we're less busy about how to do better.", "example_assistant"),
  userMessage({
    content:
      "This late pivot means we don't have time to boil the ocean for the client deliverable.",
  }),
];
const weather = [
  system("You are a helpful assistant that can answer to questions about the weather."),
  userMessage({ content: "What's the weather like in San Francisco?" }),
];
const weatherTool = {
  name: "get_current_weather",
  description: "Get the current weather in a given location",
  parameters: {
    type: "object",
    properties: {
      location: { type: "string", description: "The city and state, e.g. San Francisco, CA" },
      unit: {
        type: "string",
        description: "The unit of temperature to return",
        enum: ["celsius", "fahrenheit"],
      },
    },
    required: ["location"],
  },
};

describe("tiktokenCounter", () => {
  it.each([
    ["gpt-4", 129],
    ["gpt-4-0613", 129],
    ["gpt-3.5-turbo", 129],
    ["gpt-4o", 124],
    ["gpt-4o-mini", 124],
  ])("counts the cookbook's messages for %s as the API did: %d", (model, tokens) => {
    const counter = tiktokenCounter({ model });

    expect(counter.countRequest() + countAll(counter, jargon)).toBe(tokens);
  });

  it.each([
    ["gpt-4", 105],
    ["gpt-3.5-turbo", 105],
    ["gpt-4o", 101],
    ["gpt-4o-mini", 101],
  ])("counts the cookbook's tool for %s as the API did: %d", (model, tokens) => {
    const counter = tiktokenCounter({ model });

    expect(counter.countRequest([weatherTool]) + countAll(counter, weather)).toBe(tokens);
  });

  it("counts a call as 3, its name and its arguments, and a result under its tool's name; ids are not told", () => {
    const counter = tiktokenCounter({ model: "gpt-4o" });
    const text = (content: string): number => counter.countText(content);
    const call = { id: "call_0123456789", name: "get_weather", arguments: '{"city":"Rome"}' };
    const other = { id: "call_9876543210", name: "get_time", arguments: "{}" };
    const empty = 3 + text("assistant");
    const weatherCall = 3 + text("get_weather") + text('{"city":"Rome"}');
    const timeCall = 3 + text("get_time") + text("{}");

    expect(counter.countEntry(action({ toolCalls: [call, other] }))).toBe(
      empty + weatherCall + timeCall,
    );
    expect(counter.countEntry(action({ content: "Let me see.", toolCalls: [call] }))).toBe(
      empty + text("Let me see.") + weatherCall,
    );
    const result = { callId: call.id, toolName: call.name, outcome: "success" } as const;
    expect(counter.countEntry(observation({ ...result, content: "18 °C" }))).toBe(
      3 + text("tool") + 1 + text("get_weather") + text("18 °C"),
    );
    expect(counter.countEntry(observation({ ...result, content: "" }))).toBe(
      3 + text("tool") + 1 + text("get_weather"),
    );
  });

  it("counts images and files by the model's rule, or by one's own", () => {
    const image = { type: "image", source: { kind: "id", id: "f1" }, detail: "low" } as const;
    const file = { type: "file", source: { kind: "id", id: "f2" } } as const;
    const entry = userMessage({ content: [image] });
    const attached = userMessage({ content: [file] });
    const own = { imageTokens: () => 7, fileTokens: () => 11, id: "mine" };

    expect(tiktokenCounter({ model: "gpt-4o" }).countEntry(entry)).toBe(4 + 85);
    expect(tiktokenCounter({ model: "gpt-4o-mini" }).countEntry(entry)).toBe(4 + 2833);
    expect(tiktokenCounter({ encoding: "cl100k_base" }).countEntry(entry)).toBe(4 + 85);
    expect(tiktokenCounter({ encoding: "o200k_base" }).countEntry(entry)).toBe(4 + 308);
    expect(tiktokenCounter({ model: "gpt-4o", ...own }).countEntry(entry)).toBe(4 + 7);
    expect(tiktokenCounter({ model: "gpt-4o" }).countEntry(attached)).toBe(4 + 10 * (3000 + 765));
    expect(tiktokenCounter({ model: "gpt-4o", ...own }).countEntry(attached)).toBe(4 + 11);
    expect(tiktokenCounter({ model: "gpt-4o", ...own }).id).toBe("mine");
  });

  it("is named after model or encoding", () => {
    expect(tiktokenCounter({ model: "gpt-4o" }).id).toBe("openai:gpt-4o");
    expect(tiktokenCounter({ encoding: "o200k_base" }).id).toBe("openai:o200k_base");
  });

  it.each([
    "gpt-4o",
    "gpt-5-mini",
    "openai/gpt-6-astra",
    "gpt-6.1-sol",
    "o3",
    "o4-mini",
    "ft:gpt-4o:acme::1",
  ])("counts text for %s by o200k_base", (model) => {
    const exact = tiktokenCounter({ encoding: "o200k_base" });

    expect(tiktokenCounter({ model }).countText(paragraph)).toBe(exact.countText(paragraph));
  });

  it.each(["gpt-4", "gpt-4-turbo", "gpt-3.5-turbo-0125", "gpt-35-turbo"])(
    "counts text for %s by cl100k_base",
    (model) => {
      const exact = tiktokenCounter({ encoding: "cl100k_base" });

      expect(tiktokenCounter({ model }).countText(paragraph)).toBe(exact.countText(paragraph));
    },
  );

  it.each([
    { model: "claude-opus-5-5" },
    { model: "gpt-7" },
    { model: "o300" },
    { model: "" },
    { model: "__proto__" },
    { encoding: "p50k_base" },
    { encoding: "constructor" },
    { model: "gpt-4o", encoding: "o200k_base" },
    {},
  ])("refuses %j at construction", (options) => {
    expect(codeOf(() => tiktokenCounter(options as OpenaiCounterOptions))).toBe("INVALID_OPTION");
  });
});

const paragraph = "Naïve café — 漢字 and 12345 numbers,\n\n  indented <|endoftext|> text.";

function system(content: string, name?: string): HistoryEntry {
  const origin = { format: "openai-chat", message: content, index: 0 };
  return name === undefined
    ? systemMessage({ content, origin })
    : systemMessage({ content, origin: { ...origin, extra: { name } } });
}

function countAll(counter: TokenCounter, entries: readonly HistoryEntry[]): number {
  return entries.reduce((total, entry) => total + counter.countEntry(entry), 0);
}

function codeOf(run: () => unknown): string | undefined {
  try {
    run();
  } catch (error) {
    return isHistoryError(error) ? error.code : String(error);
  }
  return undefined;
}
