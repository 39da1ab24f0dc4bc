import type { ReductionPlan } from "@agent-history/core";
import { createReducer } from "@agent-history/reducer";
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { generateText, isStepCount, jsonSchema, Output, streamText, wrapLanguageModel } from "ai";
import type { ModelMessage, ToolSet } from "ai";
import { describe, expect, it } from "vitest";

import { messageTokens } from "../test-support/message-tokens.ts";
import { counter, fileReading, question, reducer } from "../test-support/run-loop.ts";
import { strictModel } from "../test-support/strict-model.ts";
import { fitMiddleware, fitPrompt } from "./fit-prompt.ts";
import { toToolDefinitions } from "./to-tool-definitions.ts";

const window = { contextTokens: 900 };
const forProvider = { providerOptions: { openai: { approvalId: "mcpr_1" } } };

describe("fitMiddleware", () => {
  it("fits each call of a loop that has no prepareStep, and the prompt only grows until a cut", async () => {
    const { prompts, plans, tools, text } = await runWrapped(14);

    expect(text).toBe("Done.");
    const requestTokens = counter.countRequest(await toToolDefinitions(tools));
    let cuts = 0;
    for (const [step, { prompt }] of prompts.entries()) {
      expect(prompt[0]).toMatchObject({ role: "system", content: "You read files." });
      const messages = prompt as ModelMessage[];
      const tokens = messages.reduce((sum, one) => sum + messageTokens(one), requestTokens);
      expect(tokens).toBeLessThanOrEqual(window.contextTokens);
      expect(tokens).toBeLessThanOrEqual(plans[step]?.totalTokens ?? 0);
      const before = prompts[step - 1]?.prompt ?? [];
      const isPrefix = before.every(
        (message, index) => JSON.stringify(message) === JSON.stringify(prompt[index]),
      );
      if (!isPrefix) cuts += 1;
    }
    expect(cuts).toBeGreaterThan(0);
    expect(cuts).toBeLessThan(6);
  });

  it.each([
    ["approved", []],
    ["denied", [{ type: "execution-denied", reason: "No.", ...forProvider }]],
  ])("passes on that a call of an MCP server was %s", async (state, denials) => {
    const call = { toolCallId: "c1", toolName: "mcp.look" };
    const response = { approvalId: "mcpr_1", approved: state === "approved", reason: "No." };
    const prompt = [
      { role: "user", content: [{ type: "text", text: "Look." }] },
      {
        role: "assistant",
        content: [{ ...call, type: "tool-call", input: {}, providerExecuted: true }],
      },
      {
        role: "tool",
        content: [
          { ...response, type: "tool-approval-response" },
          ...denials.map((output) => ({ ...call, type: "tool-result", output })),
        ],
      },
    ];
    const plans: ReductionPlan[] = [];
    const fit = fitPrompt({ reducer, window, onPlan: (plan) => plans.push(plan) });
    const fitted = await fit({ prompt, provider: "openai.responses" });

    expect(fitted).toEqual(prompt);
    expect(fitted.every((message, index) => message === prompt[index])).toBe(true);
    expect(plans[0]?.repairs).toEqual([]);
  });

  it("passes each plan on with the entries that it was made for", async () => {
    const seen: (readonly [number, readonly string[]])[] = [];
    const middleware = fitMiddleware({
      reducer,
      window,
      onPlan: ({ decisions }, entries) => {
        const count = decisions.reduce((sum, { entryCount }) => sum + entryCount, 0);
        seen.push([count, entries.map(({ type }) => type)]);
      },
    });
    const model = wrapLanguageModel({ model: strictModel(), middleware });
    const messages: ModelMessage[] = [{ role: "user", content: "Go." }];
    await streamText({ model, instructions: "Be brief.", messages }).text;

    expect(seen).toEqual([[2, ["system_message", "user_message"]]]);
  });

  it("fits streams too, and continues each of several conversations", async () => {
    const plans: ReductionPlan[] = [];
    const middleware = fitMiddleware({ reducer, window, onPlan: (plan) => plans.push(plan) });
    const model = wrapLanguageModel({ model: strictModel(), middleware });
    const chats = ["Ada", "Bo"].map((name): ModelMessage[] => [
      { role: "user", content: `I am ${name}.` },
    ]);
    for (let turn = 0; turn < 3; turn += 1) {
      for (const messages of chats) {
        const { text, responseMessages } = streamText({ model, messages });
        expect(await text).toBe("Done.");
        messages.push(...(await responseMessages), { role: "user", content: "And more?" });
      }
    }

    expect(plans.map(({ continued }) => continued !== undefined)).toEqual([
      false,
      false,
      true,
      true,
      true,
      true,
    ]);
  });

  it("counts the schema of a structured answer", async () => {
    const plans: ReductionPlan[] = [];
    const middleware = fitMiddleware({ reducer, window, onPlan: (plan) => plans.push(plan) });
    const model = wrapLanguageModel({
      model: strictModel([[{ type: "text", text: '{"to":"Rome"}' }]]),
      middleware,
    });
    const schema = jsonSchema<{ to: string }>({
      type: "object",
      properties: { to: { type: "string", description: "Where to, as the user says it." } },
    });
    await generateText({ model, messages: [question], output: Output.object({ schema }) });
    await generateText({ model, messages: [question] });

    const [structured, plain] = plans.map(({ totalTokens }) => totalTokens);
    expect(structured).toBeGreaterThan((plain ?? Infinity) + 15);
  });

  it("counts examples of inputs, and a description as it is sent", async () => {
    const plans: ReductionPlan[] = [];
    const middleware = fitMiddleware({ reducer, window, onPlan: (plan) => plans.push(plan) });
    const model = wrapLanguageModel({ model: strictModel(), middleware });
    const inputSchema = jsonSchema<{ to: string }>({ type: "object" });
    const to = "To Rome, on the first flight of the day, by the window. ".repeat(3);
    const description = () => to;
    for (const more of [{}, { inputExamples: [{ input: { to } }] }, { description }]) {
      await generateText({
        model,
        messages: [question],
        tools: { find: { inputSchema, ...more } },
      });
    }

    const [bare = Infinity, exemplified, described] = plans.map(({ totalTokens }) => totalTokens);
    expect(exemplified).toBeGreaterThan(bare + 40);
    expect(described).toBeGreaterThan(bare + 40);
  });

  it("rejects where what must be kept does not fit, and refuses options that can never work", async () => {
    const small = fitMiddleware({ reducer, window: { contextTokens: 5 } });
    const model = wrapLanguageModel({ model: strictModel(), middleware: small });

    await expect(generateText({ model, messages: [question] })).rejects.toMatchObject({
      code: "WINDOW_TOO_SMALL",
    });
    expect(() => fitMiddleware({ reducer } as never)).toThrow("`window`");
    expect(() => fitMiddleware({ window } as never)).toThrow("`reducer`");
  });
});

async function runWrapped(steps: number): Promise<{
  readonly prompts: readonly LanguageModelV4CallOptions[];
  readonly plans: readonly ReductionPlan[];
  readonly tools: ToolSet;
  readonly text: string;
}> {
  const prompts: LanguageModelV4CallOptions[] = [];
  const plans: ReductionPlan[] = [];
  const { tools, script } = fileReading(steps);
  const middleware = fitMiddleware({
    reducer: createReducer({ counter }),
    window,
    agent: { id: "w1", role: "worker" },
    onPlan: (plan) => plans.push(plan),
  });
  const { text } = await generateText({
    model: wrapLanguageModel({
      model: strictModel(script, (options) => prompts.push(options)),
      middleware,
    }),
    instructions: "You read files.",
    messages: [question],
    tools,
    stopWhen: isStepCount(50),
    maxRetries: 0,
  });
  return { prompts, plans, tools, text };
}
