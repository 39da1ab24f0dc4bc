import {
  action,
  assistantMessage,
  attachment,
  memory,
  observation,
  userMessage,
} from "@agent-history/core";
import type { HistoryEntry, ReductionPlan } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { chat, counter, idsAt } from "../test-support/character-counter.ts";
import { fitToWindow } from "./fit-to-window.ts";

const exchange = (id: string, length: number): readonly HistoryEntry[] => [
  action({ id, toolCalls: [{ id, name: "t", arguments: "{}" }] }),
  observation({
    id: `r-${id}`,
    callId: id,
    toolName: "t",
    outcome: "success",
    content: "r".repeat(length),
  }),
];
const question = userMessage({ id: "q", content: "q".repeat(10) });

describe("fitToWindow, what turns out needless", () => {
  it("clears no result that a later, longer one makes room for", () => {
    const turns = [100, 100, 600].flatMap((length, nth) => [
      userMessage({ id: `u${nth}`, content: "q" }),
      ...exchange(`x${nth}`, length),
      assistantMessage({ id: `a${nth}`, content: "a" }),
    ]);
    const fitted = fitToWindow([...turns, question], {
      window: { contextTokens: 650 },
      counter,
      maxResultShare: 1,
    });
    const edited = fitted.plan.decisions.filter(({ action: { kind } }) => kind !== "keep");
    expect(edited.map(({ from }) => from)).toEqual(["r-x2"]);
  });

  it("stops a cut at the low watermark, though the first request has no room in its share", () => {
    const history: HistoryEntry[] = [];
    const cuts: number[] = [];
    let previousPlan: ReductionPlan | undefined;
    for (let turn = 0; turn < 12; turn += 1) {
      history.push(userMessage({ id: `u${turn}`, content: "word ".repeat(10) }));
      const options = { window: { contextTokens: 1000 }, counter, previousPlan };
      const { plan } = fitToWindow([...history], options);
      if (plan.continued?.stoppedBy === "cut") cuts.push(plan.totalTokens);
      previousPlan = plan;
      history.push(assistantMessage({ id: `a${turn}`, content: "word ".repeat(60) }));
    }
    expect(cuts.length).toBeGreaterThan(2);
    expect(Math.max(...cuts)).toBeLessThanOrEqual(600);
  });

  it("counts the upload of the question, however much was done since", () => {
    const upload = attachment({ id: "f", messageId: "q", content: "f".repeat(300) });
    const steps = Array.from({ length: 20 }, (_, nth) => exchange(`x${nth}`, 200)).flat();
    const fitted = fitToWindow([...chat, question, upload, ...steps], {
      window: { contextTokens: 1000 },
      counter,
    });
    const shown = fitted.entries.find(({ id }) => id === "f");
    expect(shown?.content?.length).toBeGreaterThan(100);
  });

  it("keeps a memory of the system's that is the newest entry", () => {
    const newest = memory({ id: "m", content: "m".repeat(10), trust: "system" });
    expect(idsAt([...chat, newest], 25)).toBe("u4 m");
  });
});
