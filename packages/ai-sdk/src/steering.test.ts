import { createReducer } from "@agent-history/reducer";
import { lexicalScorer } from "@agent-history/reducer/lexical";
import { experimental_createSteering, generateText, isStepCount } from "ai";
import type { ModelMessage } from "ai";
import { describe, expect, it } from "vitest";

import { counter, fileReading, question } from "../test-support/run-loop.ts";
import { strictModel } from "../test-support/strict-model.ts";
import { fitStep } from "./fit-step.ts";

/** Enough that old messages must go, and something that a steering message asks about. */
const before = Array.from({ length: 20 }, (_, index): ModelMessage[] => [
  { role: "user", content: index === 3 ? "Ann owns a kayak." : `Tell me of town ${index}.` },
  { role: "assistant", content: `Town ${index} lies at a river. `.repeat(6) },
]).flat();

describe("fitStep with steering messages", () => {
  it("keeps them as they came, also where old messages are quoted before them", async () => {
    const steering = experimental_createSteering();
    const outcomes: Promise<unknown>[] = [];
    const prompts: string[] = [];
    const { tools, script } = fileReading(6);
    const reducer = createReducer({ counter, scorer: lexicalScorer() });
    const result = await generateText({
      model: strictModel(script, ({ prompt }) => {
        prompts.push(JSON.stringify(prompt));
        if (prompts.length === 2) outcomes.push(steering.steer("Who owns a kayak?"));
        if (prompts.length === 4) outcomes.push(steering.steer("Read file 5, too."));
      }),
      messages: [...before, question],
      tools,
      prepareStep: fitStep({ reducer, window: { contextTokens: 900 } }),
      stopWhen: isStepCount(20),
      experimental_steering: steering,
      maxRetries: 0,
    });

    expect(result.text).toBe("Done.");
    expect(await Promise.all(outcomes)).toMatchObject([
      { type: "delivered", stepNumber: 2 },
      { type: "delivered", stepNumber: 4 },
    ]);
    expect(prompts[2]).toContain("Who owns a kayak?");
    expect(prompts[4]).toContain("Read file 5, too.");
  });

  it("keeps each of several that arrive in one step, long ones too", async () => {
    const steering = experimental_createSteering();
    const outcomes: Promise<unknown>[] = [];
    const prompts: string[] = [];
    const { tools, script } = fileReading(4);
    const said = [`First. ${"Mind the harbor. ".repeat(30)}`, "Second.", "Third."];
    const result = await generateText({
      model: strictModel(script, ({ prompt }) => {
        prompts.push(JSON.stringify(prompt));
        if (prompts.length === 2) outcomes.push(...said.map((text) => steering.steer(text)));
      }),
      messages: [...before, question],
      tools,
      prepareStep: fitStep({
        reducer: createReducer({ counter }),
        window: { contextTokens: 900 },
      }),
      stopWhen: isStepCount(20),
      experimental_steering: steering,
      maxRetries: 0,
    });

    expect(result.text).toBe("Done.");
    expect(await Promise.all(outcomes)).toMatchObject(said.map(() => ({ type: "delivered" })));
    for (const text of said) expect(prompts[2]).toContain(text);
  });
});
