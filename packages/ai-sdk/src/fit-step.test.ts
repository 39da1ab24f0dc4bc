import { isHistoryError } from "@agent-history/core";
import type { HistoryEntry, Reducer, ReductionPlan, ReductionRequest } from "@agent-history/core";
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
      "system_message instructions-0",
      "user_message message-0",
      "action message-1",
      "observation message-2",
    ]);
  });

  it("gives back the same message objects where nothing was changed", async () => {
    const messages = [question, { role: "assistant" as const, content: "Much." }, question];
    const step = { stepNumber: 0, messages, initialMessages: messages, instructions: undefined };
    const fitted = await fitStep({ reducer, window: { contextTokens: 1000 }, tools: {} })(step);

    expect(fitted.messages).toHaveLength(3);
    for (const [index, message] of fitted.messages.entries()) {
      expect(message).toBe(messages[index]);
    }
  });

  it("gives the reducer the same entries again", async () => {
    const messages = Array.from({ length: 5 }, (): ModelMessage => ({
      role: "user",
      content: "Much.",
    }));
    const given: (readonly HistoryEntry[])[] = [];
    const noting: Reducer = {
      name: "noting",
      reduce: (entries, request) => {
        given.push(entries);
        return reducer.reduce(entries, request);
      },
    };
    const prepareStep = fitStep({ reducer: noting, window: { contextTokens: 1000 }, tools: {} });
    const step = { initialMessages: messages, instructions: "You read files." };
    const first = await prepareStep({ ...step, stepNumber: 0, messages });
    // The list is the caller's, who may go on with it.
    first.messages.push({ role: "assistant", content: "More." });
    await prepareStep({ ...step, stepNumber: 1, messages: first.messages });

    expect(given.map(({ length }) => length)).toEqual([6, 7]);
    // What a counter knows by object holds for messages; instructions are a text, which is read at each step.
    const [instructions, ...entries] = given[0] ?? [];
    expect(given[1]?.[0]?.id).toBe(instructions?.id);
    for (const [index, entry] of entries.entries()) expect(given[1]?.[index + 1]).toBe(entry);
  });

  it("takes what comes as the whole where somebody changed what it sent", async () => {
    const planned: (readonly string[])[] = [];
    const prepareStep = fitStep({
      tools: {},
      reducer,
      window: { contextTokens: 1000 },
      onPlan: (_plan, _stepNumber, entries) => planned.push(entries.map(({ type }) => type)),
    });
    const initialMessages = [question];
    const step = { initialMessages, instructions: "Be brief." };
    await prepareStep({ ...step, stepNumber: 0, messages: initialMessages });
    const other: ModelMessage[] = [{ role: "user", content: "Another question." }];
    const { messages } = await prepareStep({ ...step, stepNumber: 1, messages: other });

    expect(messages).toEqual(other);
    expect(planned).toEqual([
      ["system_message", "user_message"],
      ["system_message", "user_message"],
    ]);
  });

  it("keeps runs apart that go on side by side", async () => {
    const before: (ReductionPlan | undefined)[] = [];
    const noting: Reducer = {
      name: "noting",
      reduce: (entries, request) => {
        before.push(request.previousPlan);
        return reducer.reduce(entries, request);
      },
    };
    const plans: ReductionPlan[] = [];
    const prepareStep = fitStep({
      tools: {},
      reducer: noting,
      window: { contextTokens: 1000 },
      onPlan: (plan) => plans.push(plan),
    });
    const runs = ["One?", "Two?"].map((content) => [{ role: "user" as const, content }]);
    const instructions = undefined;
    const answer = { role: "assistant" as const, content: "So far." };
    const firsts = [];
    for (const run of runs) {
      const step = { stepNumber: 0, messages: run, initialMessages: run, instructions };
      firsts.push((await prepareStep(step)).messages);
    }
    for (const [index, run] of runs.entries()) {
      const messages = [...(firsts[index] ?? []), answer];
      const step = { stepNumber: 1, messages, initialMessages: run, instructions };
      expect((await prepareStep(step)).messages).toEqual([...run, answer]);
      expect(before.at(-1)).toBe(plans[index]);
    }
  });

  it("begins each run with what it is handed, be it the same list, cut since", async () => {
    const seen: number[] = [];
    const newestOnly: Reducer = {
      name: "newest-only",
      reduce: async (entries, request) => {
        seen.push(entries.length);
        const { plan } = await reducer.reduce(entries, request);
        return { entries: entries.slice(-1), plan };
      },
    };
    const prepareStep = fitStep({
      reducer: newestOnly,
      window: { contextTokens: 1000 },
      tools: {},
    });
    const messages: ModelMessage[] = [question, { role: "assistant", content: "Much." }, question];
    const step = { stepNumber: 0, messages, initialMessages: messages, instructions: undefined };
    await prepareStep(step);
    messages.splice(0, 2);
    messages.push({ role: "assistant", content: "More." });
    await prepareStep(step);

    expect(seen).toEqual([3, 2]);
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
    [{ reducer, window: { contextTokens: 10 } }, "tools"],
  ])("refuses %o at construction", (options, option) => {
    const given: unknown = options;
    const make = (): unknown => fitStep(given as Parameters<typeof fitStep>[0]);

    expect(make).toThrow(expect.objectContaining({ code: "INVALID_OPTION", details: { option } }));
  });

  it("refuses the steps of AI SDK 5 and 6, which do not see the instructions", async () => {
    const messages = [{ role: "user", content: "Which file is wrong?" }];
    const step = { stepNumber: 0, messages, steps: [] };
    const prepareStep = fitStep({ reducer, window: { contextTokens: 900 }, tools: {} });
    await expect(Reflect.apply(prepareStep, undefined, [step])).rejects.toMatchObject({
      code: "MISSING_PACKAGE",
      details: { package: "ai", needs: ">=7" },
    });
  });

  it("makes prompts that providers take of conversations that come in broken", async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryBrokenMessages,
        fc.integer({ min: 40, max: 900 }),
        async (messages, contextTokens) => {
          const sent: ModelMessage[] = [];
          try {
            await generateText({
              model: strictModel(),
              messages: [...messages],
              allowSystemInMessages: true,
              maxRetries: 0,
              prepareStep: async (step) => {
                const fitted = await fitStep({ reducer, window: { contextTokens }, tools: {} })(
                  step,
                );
                sent.push(...fitted.messages);
                return fitted;
              },
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
    const fitted = (): FitStep => fitStep({ reducer, window: { contextTokens: 900 }, tools });
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
