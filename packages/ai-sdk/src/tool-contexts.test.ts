import type { ReductionPlan } from "@agent-history/core";
import { generateText, isStepCount, jsonSchema } from "ai";
import type { ModelMessage, ToolSet } from "ai";
import { describe, expect, it } from "vitest";

import { reducer } from "../test-support/run-loop.ts";
import { strictModel } from "../test-support/strict-model.ts";
import { fitStep } from "./fit-step.ts";
import { toToolDefinitionsSync } from "./to-tool-definitions.ts";

interface Given {
  readonly context: { readonly cities: readonly string[] };
}
const find = {
  description: ({ context }: Given) => `Finds flights to ${context.cities.join(", ")}.`,
  inputSchema: jsonSchema({ type: "object" }),
};
const tools = { find } as ToolSet;
const messages: ModelMessage[] = [{ role: "user", content: "To Rome, please." }];

describe("a description that a function gives", () => {
  it("counts as it is sent, with the context of each call", async () => {
    const plans: ReductionPlan[] = [];
    const sent: string[] = [];
    const window = { contextTokens: 5000 };
    const prepareStep = fitStep({ reducer, window, onPlan: (plan) => plans.push(plan) });
    const model = strictModel([], (options) => sent.push(JSON.stringify(options.tools)));
    const contextOf = (length: number) => ({
      find: { cities: Array.from({ length }, () => "Rome") },
    });
    for (const length of [1, 40, 1]) {
      const toolsContext = contextOf(length);
      const call = { model, messages, tools, toolsContext, prepareStep, stopWhen: isStepCount(3) };
      await generateText(call as never);
    }

    const [one = Infinity, many, again] = plans.map(({ totalTokens }) => totalTokens);
    expect(many).toBeGreaterThan(one + 60);
    expect(again).toBe(one);
    expect(sent[0]).toContain("Finds flights to Rome.");
    expect(toToolDefinitionsSync(tools, { toolsContext: contextOf(1) })).toMatchObject([
      { description: "Finds flights to Rome." },
    ]);
  });
});
