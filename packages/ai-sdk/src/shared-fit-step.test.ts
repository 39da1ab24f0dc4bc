import type { ReductionPlan, TokenCounter } from "@agent-history/core";
import { createReducer } from "@agent-history/reducer";
import { generateText } from "ai";
import type { ModelMessage } from "ai";
import { describe, expect, it } from "vitest";

import { strictModel } from "../test-support/strict-model.ts";
import { fitStep } from "./fit-step.ts";

const counter: TokenCounter = {
  id: "characters",
  countText: (text) => text.length,
  countEntry: (entry) => JSON.stringify("content" in entry ? entry.content : "").length,
  countRequest: () => 0,
};

describe("fitStep shared by several runs", () => {
  it("notices a conversation that only begins and ends like the one before", async () => {
    const plans: ReductionPlan[] = [];
    const prompts: string[] = [];
    const prepareStep = fitStep({
      reducer: createReducer({ counter }),
      window: { contextTokens: 500 },
      onPlan: (plan) => plans.push(plan),
    });
    const run = async (middle: string): Promise<string> => {
      const messages: ModelMessage[] = [
        { role: "user", content: "Hi" },
        { role: "assistant", content: "Hello! Please paste the text." },
        { role: "user", content: middle },
        { role: "assistant", content: "Thanks." },
        { role: "user", content: "Summarize it." },
      ];
      const model = strictModel([], ({ prompt }) => prompts.push(JSON.stringify(prompt)));
      await generateText({ model, instructions: "Be brief.", messages, prepareStep });
      return prompts.at(-1) ?? "";
    };
    await run("short");
    const sent = await run("long words ".repeat(3000));
    expect(sent.length).toBeLessThan(600);
    expect(plans[1]?.continued?.stoppedBy).toBe("cut");
    expect(plans[1]?.totalTokens).toBeLessThanOrEqual(500);
  });
});
