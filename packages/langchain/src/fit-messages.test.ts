import { isHistoryError } from "@agent-history/core";
import type { HistoryEntry, ReductionRequest } from "@agent-history/core";
import { createReducer, fitToWindow } from "@agent-history/reducer";
import { tiktokenCounter } from "@agent-history/tokens";
import { describe, expect, it } from "vitest";

import { fitMessages, fitMessagesAsync } from "./fit-messages.ts";
import { tokenCounter } from "./token-counter.ts";

const counter = tiktokenCounter({ encoding: "o200k_base" });
const reducer = {
  name: "own",
  reduce: (entries: readonly HistoryEntry[], asked: ReductionRequest) =>
    fitToWindow(entries, { counter, ...asked }),
};
const window = { contextTokens: 400 };
const call = { id: "c1", name: "find", args: { to: "Rome" }, type: "tool_call" };
const messages = [
  { type: "system", content: "You book flights." },
  { type: "human", content: "Which flights go to Rome?" },
  { type: "ai", content: "", tool_calls: [call] },
  { type: "tool", content: "A flight. ".repeat(400), tool_call_id: "c1", name: "find" },
  { type: "ai", content: "Two, at nine and at noon." },
  { type: "human", content: "Take the first." },
];

describe("fitMessages", () => {
  it("fits, counts tools, and continues the plan of the previous call", async () => {
    const tools = [{ name: "find", schema: { type: "object" } }];
    const { messages: sent, plan } = fitMessages(messages, { reducer, window, tools });

    expect(plan.totalTokens).toBeLessThanOrEqual(400);
    expect(sent[0]).toBe(messages[0]);
    expect(sent.at(-1)).toBe(messages.at(-1));
    expect(tokenCounter(counter)(sent) + 5).toBeLessThanOrEqual(plan.totalTokens);
    const grown = [
      ...messages,
      { type: "ai", content: "Taken." },
      { type: "human", content: "Thanks." },
    ];
    const next = fitMessages(grown, { reducer, window, tools, previousPlan: plan });
    expect(next.plan.continued).toBeDefined();
    expect(next.messages.slice(0, sent.length)).toEqual(sent);
    const later = createReducer({ counter });
    expect(await fitMessagesAsync(messages, { reducer: later, window, tools })).toEqual({
      messages: sent,
      plan,
    });
  });

  it("refuses a reducer that answers later, and tools of another shape", () => {
    const later = { name: "later", reduce: async () => ({ entries: [], plan: {} }) };
    for (const wrong of [{ reducer: later }, { tools: [{}] }, { tools: {} }, { window: {} }]) {
      expect(() => fitMessages(messages, { reducer, window, ...wrong } as never)).toThrow(
        expect.toSatisfy((error: unknown) => isHistoryError(error, "INVALID_OPTION")),
      );
    }
  });
});

describe("tokenCounter", () => {
  it("counts each message once, whatever list it stands in", () => {
    let counts = 0;
    const counting = {
      ...counter,
      countEntry: (entry: HistoryEntry) => {
        counts += known.has(entry) ? 0 : 1;
        known.add(entry);
        return counter.countEntry(entry);
      },
    };
    const known = new WeakSet<HistoryEntry>();
    const count = tokenCounter(counting);
    const whole = count(messages);

    expect(count(messages.slice(1))).toBeLessThan(whole);
    expect(counts).toBe(messages.length);
  });
});
