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
  it("counts in fitStep as the context of each step makes it", async () => {
    const plans: ReductionPlan[] = [];
    const window = { contextTokens: 5000 };
    const prepareStep = fitStep({ reducer, window, tools, onPlan: (plan) => plans.push(plan) });
    const step = { stepNumber: 0, messages, initialMessages: messages, instructions: undefined };
    for (const length of [1, 40, 1]) {
      const cities = Array.from({ length }, () => "Rome");
      await prepareStep({ ...step, toolsContext: { find: { cities } } });
    }

    const [one = Infinity, many, again] = plans.map(({ totalTokens }) => totalTokens);
    expect(many).toBeGreaterThan(one + 60);
    expect(again).toBe(one);
    await expect(prepareStep(step)).rejects.toMatchObject({ code: "INVALID_OPTION" });
  });

  it("counts as it is sent, in a loop of the AI SDK", async () => {
    const plans: ReductionPlan[] = [];
    const sent: string[] = [];
    const toolsContext = { find: { cities: ["Rome", "Oslo"] } };
    const prepareStep = fitStep({
      reducer,
      window: { contextTokens: 5000 },
      tools,
      onPlan: (plan) => plans.push(plan),
    });
    const model = strictModel([], (options) => sent.push(JSON.stringify(options.tools)));
    const call = { model, messages, tools, toolsContext, prepareStep, stopWhen: isStepCount(3) };
    await generateText(call as never);

    expect(sent[0]).toContain("Finds flights to Rome, Oslo.");
    expect(toToolDefinitionsSync(tools, { toolsContext })).toMatchObject([
      { description: "Finds flights to Rome, Oslo." },
    ]);
    expect(plans).toHaveLength(sent.length);
  });
});
