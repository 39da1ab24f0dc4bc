import { generateText } from "ai";
import type { ModelMessage } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { fitModelMessages, fitModelMessagesAsync, fitStep } from "./ai-sdk.ts";

const messages = Array.from({ length: 40 }, (_, index): ModelMessage[] => [
  { role: "user", content: `Question ${index}: what is it?` },
  { role: "assistant", content: `Answer ${index}: ${"it is so. ".repeat(60)}` },
])
  .flat()
  .concat([{ role: "user", content: "And now?" }]);
const tools = {
  find: { description: "Finds flights.", inputSchema: z.object({ to: z.string() }) },
};
const instructions = "You book flights.";
const window = { contextTokens: 2000, outputReserveTokens: 200 };

describe("fitModelMessages", () => {
  it("trims messages, and counts instructions and tools that the call sends itself", async () => {
    const options = { model: "gpt-5", window, tools, instructions };
    const { messages: sent, plan } = fitModelMessages(messages, options);

    expect(sent.length).toBeLessThan(messages.length);
    expect(sent.at(-1)).toEqual({ role: "user", content: "And now?" });
    expect(sent.map(({ role }) => role)).not.toContain("system");
    expect(plan.totalTokens).toBeLessThanOrEqual(1800);
    expect(await fitModelMessagesAsync(messages, options)).toEqual({ messages: sent, plan });
    const bare = fitModelMessages(messages.slice(-1), { model: "gpt-5" });
    const whole = fitModelMessages(messages.slice(-1), { model: "gpt-5", tools, instructions });
    expect(whole.plan.totalTokens).toBeGreaterThan(bare.plan.totalTokens + 20);
  });

  it("counts descriptions as the context of the tools makes them", async () => {
    const description = (given: { readonly context: { readonly city: string } }) =>
      `Finds flights to ${given.context.city.repeat(30)}.`;
    const described = { find: { ...tools.find, description } } as never;
    const toolsContext = { find: { city: "Rome, " } };
    const options = { model: "gpt-5", tools: described, toolsContext };

    const { plan } = fitModelMessages(messages.slice(-1), options);
    const bare = fitModelMessages(messages.slice(-1), { model: "gpt-5", tools });
    expect(plan.totalTokens).toBeGreaterThan(bare.plan.totalTokens + 50);
    expect((await fitModelMessagesAsync(messages.slice(-1), options)).plan).toEqual(plan);
  });

  it("repairs what the provider of the model refuses", async () => {
    const asked = messages.slice(-1);
    const prefilled: ModelMessage[] = [...asked, { role: "assistant", content: "It is" }];
    const options = { model: "claude-opus-4-8", provider: "anthropic.messages" };
    const { messages: sent, plan } = fitModelMessages(prefilled, options);

    expect(sent.at(-1)?.role).toBe("user");
    expect(plan.repairs.length).toBeGreaterThan(0);
    expect(await fitModelMessagesAsync(prefilled, options)).toEqual({ messages: sent, plan });
    expect(fitModelMessages(prefilled, { model: "claude-opus-4-8" }).messages).toEqual(prefilled);
  });

  it("refuses tools whose schema cannot be read", () => {
    const wrong = { find: { inputSchema: { "~standard": { version: 1 } } } } as never;

    expect(() => fitModelMessages(messages, { model: "gpt-5", tools: wrong })).toThrow(
      expect.objectContaining({ code: "INVALID_OPTION", details: { option: "tools" } }),
    );
  });
});

describe("fitStep", () => {
  it("fits a step to the model's window", async () => {
    const plans: number[] = [];
    const prepareStep = fitStep({
      model: "gpt-4",
      onPlan: ({ totalTokens }) => plans.push(totalTokens),
    });
    const usage = {
      inputTokens: { total: 9, noCache: 9, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 5, text: 5, reasoning: 0 },
    };
    const model = new MockLanguageModelV4({
      doGenerate: {
        content: [{ type: "text", text: "It is." }],
        finishReason: { unified: "stop", raw: undefined },
        usage,
        warnings: [],
      },
    });
    await generateText({ model, instructions, messages, tools, prepareStep });

    expect(model.doGenerateCalls[0]?.prompt.length).toBeLessThan(messages.length);
    expect(plans[0]).toBeLessThanOrEqual(8192 * 0.75);
    expect(() => fitStep({ model: "llama-local" })).toThrow("`window`");
  });
});
