import type { ToolHandler } from "@agent-history/core";
import type OpenAI from "openai";
import { describe, expect, expectTypeOf, it } from "vitest";

import { toChatTools, toResponseTools } from "./tool-handlers.ts";

const parameters = { type: "object", properties: { query: { type: "string" } } };
const look: ToolHandler = {
  name: "look",
  description: "Looks.",
  parameters,
  run: async (input) => ({ outcome: "success", content: `saw ${String(input)}`, sources: [] }),
};

describe("toChatTools", () => {
  it("gives tools that the SDK takes, and answers their calls only", async () => {
    const { tools, answer } = toChatTools([look]);
    expectTypeOf(tools).toExtend<OpenAI.ChatCompletionTool[]>();
    expect(tools).toEqual([
      { type: "function", function: { name: "look", description: "Looks.", parameters } },
    ]);
    const call = { id: "c", function: { name: "look", arguments: '{"query":1}' } };
    expect(await answer(call)).toEqual({
      role: "tool",
      tool_call_id: "c",
      content: 'saw {"query":1}',
    });
    expect(await answer({ id: "c", function: { name: "other", arguments: "" } })).toBeUndefined();
    expect(await answer({ id: "c" })).toBeUndefined();
  });
});

describe("toResponseTools", () => {
  it("gives tools that the SDK takes, and answers their calls only", async () => {
    const { tools, answer } = toResponseTools([look]);
    expectTypeOf(tools).toExtend<OpenAI.Responses.Tool[]>();
    expect(tools).toEqual([
      { type: "function", name: "look", description: "Looks.", parameters, strict: false },
    ]);
    expect(await answer({ call_id: "c", name: "look", arguments: "{}" })).toEqual({
      type: "function_call_output",
      call_id: "c",
      output: "saw {}",
    });
    expect(await answer({ call_id: "c", name: "other", arguments: "" })).toBeUndefined();
  });
});
