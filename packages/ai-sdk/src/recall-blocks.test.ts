import { memory, summary, userMessage } from "@agent-history/core";
import type { MemoryEntry, ReductionPlan, StoppedBy } from "@agent-history/core";
import { createReducer, fitToWindow } from "@agent-history/reducer";
import { lexicalScorer } from "@agent-history/reducer/lexical";
import { lawRuns } from "@agent-history/testkit";
import { tiktokenCounter } from "@agent-history/tokens";
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { generateText, isStepCount } from "ai";
import type { ModelMessage } from "ai";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { messageTokens } from "../test-support/message-tokens.ts";
import { fileReading } from "../test-support/run-loop.ts";
import { strictModel } from "../test-support/strict-model.ts";
import { fitStep } from "./fit-step.ts";
import { fromModelMessages, toModelMessages } from "./model-messages.ts";

const THINGS = ["kayak", "violin", "garden", "telescope", "bakery", "motorbike"];
const RUNS = { numRuns: lawRuns(20) };
const counter = tiktokenCounter({ encoding: "o200k_base" });
const block: MemoryEntry = memory({ id: "m", createdAtMs: 0, content: "Ann owns a kayak." });

const growingChat = fc.record({
  contextTokens: fc.integer({ min: 450, max: 900 }),
  turns: fc.array(
    fc.record({
      thing: fc.constantFrom(...THINGS),
      length: fc.integer({ min: 1, max: 12 }),
      isParts: fc.boolean(),
    }),
    { minLength: 20, maxLength: 30 },
  ),
});

describe("recall blocks in model messages", () => {
  it("stand in the question's message, so that roles alternate and nothing sent changes until the next cut", () => {
    let quoted = 0;
    let kept = 0;
    fc.assert(
      fc.property(growingChat, ({ contextTokens, turns }) => {
        const scorer = lexicalScorer();
        const came: ModelMessage[] = [];
        let sent: readonly ModelMessage[] = [];
        let previousPlan: ReductionPlan | undefined;
        for (const [index, { thing, length, isParts }] of turns.entries()) {
          const text =
            index < THINGS.length ? `Ann has a ${THINGS[index]}.` : `Who has a ${thing}?`;
          const added: readonly ModelMessage[] = [
            ...(index === 0 ? [] : [answer(index, length)]),
            { role: "user", content: isParts ? [{ type: "text", text }] : text },
          ];
          came.push(...added);
          const options = { window: { contextTokens }, counter, scorer };
          const { entries, plan } = fitToWindow(fromModelMessages(came), {
            ...options,
            ...(previousPlan && { previousPlan }),
          });
          const messages = toModelMessages(entries);

          expectAlternation(messages);
          const cost = messages.reduce((sum, message) => sum + messageTokens(message), 0);
          expect(cost).toBeLessThanOrEqual(plan.totalTokens);
          if (plan.continued !== undefined && plan.continued.stoppedBy === undefined) {
            expect(JSON.stringify(messages.slice(0, sent.length))).toBe(JSON.stringify(sent));
            kept += 1;
          }
          quoted += plan.recalls?.length ?? 0;
          previousPlan = plan;
          sent = messages;
        }
        expect(toModelMessages(fromModelMessages(came))).toEqual(came);
      }),
      RUNS,
    );
    expect(quoted).toBeGreaterThan(RUNS.numRuns);
    expect(kept).toBeGreaterThan(RUNS.numRuns);
  });

  it("stay where they were sent through the steps of a loop and the runs of a chat", async () => {
    let plan: ReductionPlan | undefined;
    const stops: (StoppedBy | undefined)[] = [];
    const prepareStep = fitStep({
      reducer: createReducer({ counter, scorer: lexicalScorer() }),
      window: { contextTokens: 600 },
      onPlan: (made) => {
        plan = made;
        stops.push(made.continued?.stoppedBy);
      },
    });
    const chat: ModelMessage[] = THINGS.concat(THINGS, THINGS, THINGS).flatMap((thing, index) => [
      { role: "user", content: index < THINGS.length ? `Ann has a ${thing}.` : "And the weather?" },
      answer(index, 4),
    ]);
    const prompts: LanguageModelV4CallOptions["prompt"][] = [];
    const { tools, script } = fileReading(1);
    const send = async (messages: ModelMessage[], isCalling = false): Promise<void> => {
      const model = strictModel(isCalling ? script : [], ({ prompt }) => prompts.push(prompt));
      const instructions = "Be brief.";
      const stopWhen = isStepCount(2);
      await generateText({ model, instructions, messages, tools, prepareStep, stopWhen });
    };
    await send(chat.slice(0, -1));
    await send([...chat, { role: "user", content: "Who has a kayak?" }], true);
    const [, first = [], second = []] = prompts;
    expect(plan?.recalls).toHaveLength(1);
    expect(first.at(-1)?.content).toMatchObject([
      { type: "text", text: expect.stringContaining("<quoted>") },
      { type: "text", text: "Who has a kayak?" },
    ]);
    expect(stops.at(-1)).toBeUndefined();
    expect(second).toHaveLength(first.length + 2);
    expect(JSON.stringify(second.slice(0, first.length))).toBe(JSON.stringify(first));
  });

  it("follow the message behind them where it changes, and change nothing of it", () => {
    const parts = [{ type: "text" as const, text: "Where is it?" }];
    const cached = { anthropic: { cacheControl: { type: "ephemeral" } } };
    const question: ModelMessage = { role: "user", content: parts, providerOptions: cached };
    const entries = fromModelMessages([question]);
    const [joined] = toModelMessages([{ ...block }, ...entries]);

    expect(joined).toEqual({
      ...question,
      content: [{ type: "text", text: block.content }, ...parts],
    });
    expect(toModelMessages(entries)).toEqual([question]);
    const [other] = toModelMessages([{ ...block, content: "Bob owns it." }, ...entries]);
    expect(other?.content).toMatchObject([{ text: "Bob owns it." }, { text: "Where is it?" }]);
    expect(joined?.content).toMatchObject([{ text: "Ann owns a kayak." }, {}]);
  });

  it("are joined as summaries are, in order, and only with a user's message behind them", () => {
    const strategy = "wholeHistory";
    const first = summary({ id: "s", createdAtMs: 0, content: "First.", strategy, trust: "user" });
    const question = userMessage({ id: "q", createdAtMs: 0, content: "Where?" });
    const content = ["First.", block.content, "Where?"].map((text) => ({ type: "text", text }));

    expect(toModelMessages([first, block, question])).toEqual([{ role: "user", content }]);
    const system: MemoryEntry = { ...block, trust: "system" };
    expect(toModelMessages([system, question]).map(({ role }) => role)).toEqual(["system", "user"]);
    expect(toModelMessages([question, block])).toHaveLength(2);
    expect(toModelMessages([question, question])).toHaveLength(2);
  });
});

function answer(index: number, length: number): ModelMessage {
  return { role: "assistant", content: `${"It was fine that day. ".repeat(length)}${index}` };
}

function expectAlternation(messages: readonly ModelMessage[]): void {
  const roles = messages.map(({ role }) => role);
  expect(roles).toEqual(roles.map((_, index) => (index % 2 === 0 ? "user" : "assistant")));
}
