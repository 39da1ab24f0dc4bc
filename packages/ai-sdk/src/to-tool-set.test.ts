import type { ToolHandler } from "@agent-history/core";
import { generateText, isStepCount } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { describe, expect, it } from "vitest";

import { toToolSet } from "./to-tool-set.ts";

const parameters = { type: "object", properties: { query: { type: "string" } } };
const look: ToolHandler = {
  name: "look",
  description: "Looks.",
  parameters,
  run: async (input) => ({
    outcome: "success",
    content: `saw ${JSON.stringify(input)}`,
    sources: [],
  }),
};

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

describe("toToolSet", () => {
  it("lets generateText tell the model of the tool and answer its call", async () => {
    const model = new MockLanguageModelV4({
      doGenerate: async () => ({
        content: [
          { type: "tool-call", toolCallId: "c", toolName: "look", input: '{"query":"tides"}' },
        ],
        finishReason: { unified: "tool-calls", raw: "tool_calls" },
        usage,
        warnings: [],
      }),
    });
    const { toolResults } = await generateText({
      model,
      prompt: "Look.",
      tools: await toToolSet([look]),
      stopWhen: isStepCount(1),
    });
    expect(toolResults.map(({ output }) => output)).toEqual(['saw {"query":"tides"}']);
    expect(model.doGenerateCalls[0]?.tools).toMatchObject([
      { type: "function", name: "look", description: "Looks.", inputSchema: parameters },
    ]);
  });
});
