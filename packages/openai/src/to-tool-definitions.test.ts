import { tiktokenCounter } from "@agent-history/tokens";
import { describe, expect, it } from "vitest";

import { toToolDefinitions } from "./to-tool-definitions.ts";

const parameters = { type: "object", properties: { to: { type: "string" } } };

describe("toToolDefinitions", () => {
  it("reads functions of chats and of Responses, with schemas of each kind", () => {
    const definition = { name: "find", description: "Finds flights.", parameters };
    const standard = { "~standard": { version: 1, jsonSchema: { input: () => parameters } } };
    const given = [
      parameters,
      { toJSONSchema: () => parameters },
      standard,
      { jsonSchema: parameters },
    ];

    for (const schema of given) {
      const own = { name: "find", description: "Finds flights.", parameters: schema };
      expect(toToolDefinitions([{ type: "function", function: own }])).toEqual([definition]);
      expect(toToolDefinitions([{ type: "function", ...own }])).toEqual([definition]);
    }
  });

  it("counts a custom tool's format and the options of the provider's own tools", () => {
    const format = { type: "grammar", syntax: "lark", definition: "start: WORD" };

    expect(
      toToolDefinitions([
        { type: "custom", custom: { name: "code", format } },
        { type: "web_search", search_context_size: "low" },
      ]),
    ).toEqual([
      { name: "code", parameters: format },
      { name: "web_search", parameters: { search_context_size: "low" } },
    ]);
  });

  it("refuses a tool of another shape instead of counting it low", () => {
    let deep: object = {};
    for (let level = 0; level < 200_000; level++) deep = { items: deep };
    const cyclic: Record<string, unknown> = {};
    cyclic["items"] = cyclic;
    const wrong: unknown[] = [
      null,
      "find",
      {},
      { name: "find", parameters },
      { type: "function" },
      { type: "function", function: { name: "" } },
      ...[deep, cyclic, [], 7, { "~standard": { version: 1 } }].map((schema) => ({
        type: "function",
        name: "find",
        parameters: schema,
      })),
    ];

    const lists: unknown[] = [null, "find", 5, {}, ...wrong.map((tool) => [tool])];
    for (const tools of lists) {
      expect(() => toToolDefinitions(tools as never)).toThrow(
        expect.objectContaining({ code: "INVALID_OPTION", details: { option: "tools" } }),
      );
    }
  });

  // OpenAI cookbook, "How to count tokens with tiktoken", section 7, as counted there by the API.
  it.each([
    ["gpt-4o and gpt-4o-mini", "o200k_base", 101],
    ["gpt-4 and gpt-3.5-turbo", "cl100k_base", 105],
  ] as const)("counts for %s what the cookbook's example counts", (_, encoding, published) => {
    const tools = toToolDefinitions([
      {
        type: "function",
        function: {
          name: "get_current_weather",
          description: "Get the current weather in a given location",
          parameters: {
            type: "object",
            properties: {
              location: {
                type: "string",
                description: "The city and state, e.g. San Francisco, CA",
              },
              unit: {
                type: "string",
                description: "The unit of temperature to return",
                enum: ["celsius", "fahrenheit"],
              },
            },
            required: ["location"],
          },
        },
      },
    ]);
    const counter = tiktokenCounter({ encoding });
    const said = [
      [
        "system_message",
        "You are a helpful assistant that can answer to questions about the weather.",
      ],
      ["user_message", "What's the weather like in San Francisco?"],
    ] as const;
    const messages = said.map(([type, content], at) =>
      counter.countEntry({ type, content, id: `${at}`, createdAtMs: 0 }),
    );

    expect(messages.reduce((sum, one) => sum + one, counter.countRequest(tools))).toBe(published);
  });
});
