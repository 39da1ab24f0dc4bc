import type { Reducer, ReductionPlan } from "@agent-history/core";
import { createReducer } from "@agent-history/reducer";
import { tiktokenCounter } from "@agent-history/tokens";
import type { LanguageModelV4CallOptions, LanguageModelV4Content } from "@ai-sdk/provider";
import { generateText, isStepCount, jsonSchema, tool } from "ai";
import type { ModelMessage, ToolSet } from "ai";

import { fitStep } from "../src/fit-step.ts";
import { strictModel } from "./strict-model.ts";

export const counter = tiktokenCounter({ encoding: "o200k_base" });
export const reducer = createReducer({ counter });
export const question: ModelMessage = { role: "user", content: "What do the files say?" };

/** How a loop runs. */
export interface Loop {
  readonly contextTokens: number;
  readonly steps: number;
  readonly noting?: Reducer;
  readonly window?: { readonly contextTokens: number };
  readonly runs?: number;
}

/** What came of it. */
export interface Looped {
  readonly prompts: readonly LanguageModelV4CallOptions[];
  readonly plans: readonly ReductionPlan[];
  readonly tools: ToolSet;
  readonly result: { readonly text: string; readonly steps: readonly unknown[] };
}

/** Runs a model that reads a file at each step, and then answers. */
export async function runLoop({
  contextTokens,
  steps,
  noting,
  window,
  runs = 1,
}: Loop): Promise<Looped> {
  const prompts: LanguageModelV4CallOptions[] = [];
  const plans: ReductionPlan[] = [];
  const { tools, script } = fileReading(steps);
  const prepareStep = fitStep({
    reducer: noting ?? reducer,
    window: window ?? { contextTokens },
    agent: { id: "w1", role: "worker" },
    onPlan: (plan) => plans.push(plan),
  });
  let messages: ModelMessage[] = [question];
  const run = async (): Promise<Looped["result"]> => {
    const given = messages;
    const result = await generateText({
      model: strictModel(script, (options) => prompts.push(options)),
      instructions: "You read files.",
      messages: given,
      tools,
      prepareStep,
      stopWhen: isStepCount(50),
      maxRetries: 0,
    });
    messages = [...given, ...result.responseMessages, { role: "user", content: "And more?" }];
    return result;
  };
  let result = await run();
  for (let count = 1; count < runs; count += 1) result = await run();
  return { prompts, plans, tools, result };
}

/** A tool that reads files, and the script of a model that reads so many. */
export function fileReading(steps: number): {
  readonly tools: ToolSet;
  readonly script: readonly (readonly LanguageModelV4Content[])[];
} {
  const read = tool({
    description: "Reads a file.",
    inputSchema: jsonSchema<{ file: number }>({
      type: "object",
      properties: { file: { type: "number" } },
    }),
    execute: ({ file }) => `line ${file} of the file. `.repeat(20),
  });
  const script = Array.from({ length: steps }, (_, file): LanguageModelV4Content[] => [
    {
      type: "tool-call",
      toolCallId: `call_${file}`,
      toolName: "read",
      input: JSON.stringify({ file }),
    },
  ]);
  return { tools: { read }, script };
}
