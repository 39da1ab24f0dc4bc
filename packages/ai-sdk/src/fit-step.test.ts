import { isHistoryError } from "@agent-history/core";
import type { Reducer, ReductionPlan, ReductionRequest } from "@agent-history/core";
import { lawRuns } from "@agent-history/testkit";
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { generateText, isStepCount, streamText, ToolLoopAgent } from "ai";
import type { ModelMessage } from "ai";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryBrokenMessages } from "../test-support/arbitrary-messages.ts";
import { messageTokens } from "../test-support/message-tokens.ts";
import { counter, fileReading, question, reducer, runLoop } from "../test-support/run-loop.ts";
import { strictModel } from "../test-support/strict-model.ts";
import { fitStep } from "./fit-step.ts";
import type { FitStep } from "./fit-step.ts";
import { toToolDefinitions } from "./to-tool-definitions.ts";

describe("fitStep", () => {
  it("fits each step of a loop with tools, and shows no step more than its window", async () => {
    const contextTokens = 900;
    const { prompts, plans, tools, result } = await runLoop({ contextTokens, steps: 14 });

    expect(result.text).toBe("Done.");
    expect(result.steps).toHaveLength(15);
    expect(plans).toHaveLength(15);
    const requestTokens = counter.countRequest(await toToolDefinitions(tools));
    for (const [step, { prompt }] of prompts.entries()) {
      expect(prompt[0]).toMatchObject({ role: "system", content: "You read files." });
      expect(prompt[1]).toMatchObject({ role: "user" });
      const tokens = prompt.reduce((sum, message) => sum + messageTokens(message), requestTokens);
      expect(tokens).toBeLessThanOrEqual(contextTokens);
      expect(tokens).toBeLessThanOrEqual(plans[step]?.totalTokens ?? 0);
    }
    const dropped = plans.at(-1)?.decisions.some(({ action }) => action.kind !== "keep");
    expect(dropped).toBe(true);
    // The newest result is there, word for word.
    expect(JSON.stringify(prompts.at(-1)?.prompt.at(-1))).toContain("line 13 of the file");
  });

  it("keeps the plan between steps: the prompt only grows until a cut is made", async () => {
    const { prompts, plans } = await runLoop({ contextTokens: 900, steps: 14 });
    let cuts = 0;
    for (const [step, { prompt }] of prompts.entries()) {
      const before = prompts[step - 1]?.prompt ?? [];
      const isPrefix = before.every(
        (message, index) => JSON.stringify(message) === JSON.stringify(prompt[index]),
      );
      if (!isPrefix) cuts += 1;
    }

    expect(cuts).toBeGreaterThan(0);
    // Without its plan a reducer would cut at every step, once the window is full.
    expect(cuts).toBeLessThan(6);
    expect(covered(plans.at(-1))).toBe(2 + 2 * 14);
  });

  it("hands the reducer the tools, the instructions, the agent and the plan before", async () => {
    const requests: { request: ReductionRequest; types: readonly string[] }[] = [];
    const noting: Reducer = {
      name: "noting",
      reduce: (entries, request) => {
        requests.push({ request, types: entries.map(({ type, id }) => `${type} ${id}`) });
        return reducer.reduce(entries, request);
      },
    };
    const window = { contextTokens: 5000, outputReserveTokens: 100 };
    const { plans, tools } = await runLoop({ contextTokens: 5000, steps: 1, noting, window });

    expect(requests.map(({ request }) => request)).toMatchObject([
      { window, tools: await toToolDefinitions(tools), viewer: { agentId: "w1" } },
      {
        window,
        tools: await toToolDefinitions(tools),
        viewer: { agentId: "w1" },
        previousPlan: plans[0],
      },
    ]);
    expect(requests[1]?.types.map((one) => one.replace(/-\w+$/u, ""))).toEqual([
      "system_message message-0",
      "user_message message-1",
      "action message-2",
      "observation message-3",
    ]);
  });

  it("keeps runs apart that go on side by side", async () => {
    const plans: ReductionPlan[] = [];
    const options = { reducer, window: { contextTokens: 900 } };
    const prepareStep = fitStep({ ...options, onPlan: (plan) => plans.push(plan) });
    const { tools, script } = fileReading(6);
    const run = (name: string) =>
      generateText({
        model: strictModel(script),
        messages: [{ role: "user", content: `I am ${name}. What do the files say?` }],
        tools,
        prepareStep,
        stopWhen: isStepCount(20),
        maxRetries: 0,
      });
    const results = await Promise.all(["Ada", "Bo"].map(run));

    expect(results.map(({ text }) => text)).toEqual(["Done.", "Done."]);
    expect(plans).toHaveLength(14);
    expect(plans.filter(({ continued }) => continued === undefined)).toHaveLength(2);
  });

  it("continues a stored plan, and finds a model by its name as the AI SDK does", async () => {
    const plans: ReductionPlan[] = [];
    const options = { reducer, window: { contextTokens: 900 } };
    const messages = [question];
    const call = async (previousPlan?: ReductionPlan): Promise<void> => {
      const onPlan = (plan: ReductionPlan) => plans.push(plan);
      const prepareStep = fitStep({ ...options, previousPlan, onPlan });
      const { responseMessages } = streamText({ model: "strict", messages, prepareStep });
      messages.push(...(await responseMessages), { role: "user", content: "And more?" });
    };
    const languageModel = () => strictModel();
    globalThis.AI_SDK_DEFAULT_PROVIDER = { specificationVersion: "v4", languageModel } as never;
    try {
      await call();
      await call(JSON.parse(JSON.stringify(plans[0])));
    } finally {
      globalThis.AI_SDK_DEFAULT_PROVIDER = undefined;
    }

    expect(plans[1]?.continued).toEqual({ entryCount: 1 });
  });

  it("goes on from the newest plan where a run is handed the whole conversation again", async () => {
    const { prompts } = await runLoop({ contextTokens: 900, steps: 12, runs: 2 });
    const before = prompts[12]?.prompt ?? [];
    const after = prompts[13]?.prompt ?? [];

    expect(JSON.stringify(before)).toMatch(/…|cleared/u);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.slice(before.length)).toMatchObject([{ role: "assistant" }, { role: "user" }]);
  });

  it("rejects a step whose protected part does not fit, and the call with it", async () => {
    const failed = runLoop({ contextTokens: 30, steps: 1 }).catch((error: unknown) => error);

    expect(isHistoryError(await failed, "WINDOW_TOO_SMALL")).toBe(true);
  });

  it.each([
    [{ window: { contextTokens: 10 } }, "reducer"],
    [{ reducer }, "window"],
    [{ reducer, window: {} }, "window"],
  ])("refuses %o at construction", (options, option) => {
    const given: unknown = options;
    const make = (): unknown => fitStep(given as Parameters<typeof fitStep>[0]);

    expect(make).toThrow(expect.objectContaining({ code: "INVALID_OPTION", details: { option } }));
  });

  it("repairs a conversation of which the AI SDK makes no prompt, and lists the repair", async () => {
    const call = { type: "tool-call" as const, toolCallId: "c1", toolName: "read", input: {} };
    const messages: ModelMessage[] = [
      question,
      { role: "assistant", content: [call] },
      { role: "user", content: "Go on." },
    ];
    const plans: ReductionPlan[] = [];
    const options = { reducer, window: { contextTokens: 900 } };
    const model = strictModel();
    await expect(generateText({ model, messages })).rejects.toThrow("c1");
    const listing = fitStep({ ...options, onPlan: (plan) => plans.push(plan) });
    const throwing = fitStep({ ...options, repair: "throw" });

    expect((await generateText({ model, messages, prepareStep: listing })).text).toBe("Done.");
    expect(plans[0]?.repairs).toMatchObject([{ rule: "pairing" }]);
    await expect(generateText({ model, messages, prepareStep: throwing })).rejects.toMatchObject({
      code: "INVALID_ENTRY",
    });
  });

  it("makes prompts that providers take of conversations that come in broken", async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryBrokenMessages,
        fc.integer({ min: 40, max: 900 }),
        async (messages, contextTokens) => {
          const sent: LanguageModelV4CallOptions["prompt"][number][] = [];
          try {
            await generateText({
              model: strictModel([], ({ prompt }) => sent.push(...prompt)),
              messages: [...messages],
              allowSystemInMessages: true,
              maxRetries: 0,
              prepareStep: fitStep({ reducer, window: { contextTokens } }),
            });
          } catch (error) {
            if (!isHistoryError(error, "WINDOW_TOO_SMALL")) throw error;
          }
          const texts = sent.filter((one) => !JSON.stringify(one).includes('"file"'));
          const tokens = texts.reduce((sum, message) => sum + messageTokens(message), 0);
          expect(tokens).toBeLessThanOrEqual(contextTokens);
        },
      ),
      { numRuns: lawRuns(100) },
    );
  });

  it("fits the steps of a ToolLoopAgent and of streamText", async () => {
    const prompts: LanguageModelV4CallOptions["prompt"][] = [];
    const { tools, script } = fileReading(14);
    const settings = {
      model: strictModel([...script, [{ type: "text", text: "Done." }], ...script], (call) =>
        prompts.push(call.prompt),
      ),
      instructions: "You read files.",
      tools,
      stopWhen: isStepCount(20),
      maxRetries: 0,
    };
    const fitted = (): FitStep => fitStep({ reducer, window: { contextTokens: 900 } });
    const agent = new ToolLoopAgent({ ...settings, prepareStep: fitted() });
    const generated = await agent.generate({ messages: [question] });
    const streamed = streamText({ ...settings, prepareStep: fitted(), messages: [question] });

    expect([generated.text, await streamed.text]).toEqual(["Done.", "Done."]);
    // The same prompts, of which none is the whole.
    expect(prompts.slice(15)).toEqual(prompts.slice(0, 15));
    const tokens = prompts.map((prompt) =>
      prompt.reduce((sum, message) => sum + messageTokens(message), 0),
    );
    expect(Math.max(...tokens)).toBeLessThanOrEqual(900);
  });
});

function covered(plan: ReductionPlan | undefined): number {
  return plan?.decisions.reduce((sum, { entryCount }) => sum + entryCount, 0) ?? 0;
}
