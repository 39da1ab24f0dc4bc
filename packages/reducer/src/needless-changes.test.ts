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

  it("keeps the upload of the question, though the model says something before its tools", () => {
    const upload = attachment({ id: "f", messageId: "q", content: "f".repeat(400) });
    const log: HistoryEntry[] = [question, upload, assistantMessage({ id: "a", content: "Well." })];
    let previousPlan: ReductionPlan | undefined;
    for (let round = 0; round < 12; round += 1) {
      const [call, result] = exchange(`x${round}`, 100);
      log.push({ ...call, content: "w".repeat(500) } as HistoryEntry, result as HistoryEntry);
      const options = { window: { contextTokens: 4000 }, counter, previousPlan };
      const fitted = fitToWindow([...log], options);
      previousPlan = fitted.plan;
      expect(fitted.entries).toContain(upload);
    }
    expect(previousPlan?.decisions.some(({ action: { kind } }) => kind === "drop")).toBe(true);
  });

  it("keeps a memory of the system's that is the newest entry", () => {
    const newest = memory({ id: "m", content: "m".repeat(10), trust: "system" });
    expect(idsAt([...chat, newest], 25)).toBe("u4 m");
  });

  it("keeps an old result whole, though it is long, where a later one makes the room", () => {
    const turn = [userMessage({ id: "u", content: "q" }), ...exchange("x0", 3000)];
    const entries = [...turn, ...exchange("x1", 24_000), ...exchange("x2", 10).slice(0, 1)];
    const fitted = fitToWindow(entries, { window: { contextTokens: 9000 }, counter });
    const edited = fitted.plan.decisions.filter(({ action: { kind } }) => kind !== "keep");
    expect(edited.map(({ from }) => from)).toEqual(["r-x1"]);
  });

  it("shortens a result of sources to its cap, the first sources whole, instead of losing them", () => {
    const text = Array.from({ length: 400 }, (_, nth) => `${nth}: a line`).join("\n");
    const sources = [text.slice(0, 400), text, text].map((one, number) => {
      return { number, id: `s${number}`, text: one };
    });
    const [call, result] = exchange("x", 0);
    const entries = [...chat, question, call, { ...result, sources }] as HistoryEntry[];
    const fitted = fitToWindow(entries, { window: { contextTokens: 4000 }, counter });
    expect(fitted.entries.slice(0, -1)).toEqual(entries.slice(0, -1));
    expect(fitted.entries.at(-1)).toMatchObject({
      sources: [
        sources[0],
        { number: 1, text: expect.stringMatching(/^0: a line\n[^]+ characters left out …\]/u) },
      ],
    });
    expect(counter.countEntry(fitted.entries.at(-1) as HistoryEntry)).toBeGreaterThan(1600);
  });

  it("gives the room that one result cannot use to the others", () => {
    const rows = Array.from({ length: 12 }, (_, n) => ({ n, text: "r".repeat(90) }));
    const [call, first] = exchange("x", 900);
    const toolCalls = ["x", "y"].map((id) => ({ id, name: "t", arguments: "{}" }));
    const second = { ...first, id: "r-y", callId: "y", content: JSON.stringify(rows) };
    const entries = [question, { ...call, toolCalls }, first, second] as HistoryEntry[];
    const fit = { window: { contextTokens: 600 }, counter, maxResultShare: 1 };
    expect(fitToWindow(entries, fit).plan.totalTokens).toBeGreaterThan(540);
  });

  it("keeps the first request of a turn that was interrupted, with its last exchange", () => {
    const [call, result] = exchange("w", 100);
    const toolCalls = [{ id: "w", name: "write", arguments: JSON.stringify("w".repeat(600)) }];
    const sized = { ...counter, countEntry: (one: HistoryEntry) => JSON.stringify(one).length };
    const turns = [{ ...call, toolCalls } as HistoryEntry, result as HistoryEntry];
    const later = Array.from({ length: 30 }, (_, nth) => [
      userMessage({ id: `u${nth}`, content: "q".repeat(10) }),
      assistantMessage({ id: `a${nth}`, content: "word ".repeat(20) }),
    ]);
    const history = [userMessage({ id: "first", content: "task" }), ...turns, ...later.flat()];
    const fitted = fitToWindow([...history, question], {
      window: { contextTokens: 5000 },
      counter: sized,
    });
    expect(fitted.entries.slice(0, 3).map(({ id }) => id)).toEqual(["first", "w", "r-w"]);
    expect(fitted.plan.decisions[1]?.step).toBe("keep-first-request");
  });

  it.each([
    ["a greeting", [assistantMessage({ id: "hi", content: "h".repeat(40) })], 10],
    ["an answer of which a quarter of the share has no room for the least", [], 300],
  ])("keeps the first request and its answer, with %s", (_, before, length) => {
    const turns = Array.from({ length: 40 }, (__, nth) => [
      userMessage({ id: `u${nth}`, content: "q".repeat(10) }),
      assistantMessage({ id: `a${nth}`, content: "word ".repeat(nth === 0 ? length / 5 : 12) }),
    ]);
    const history = [...before, ...turns.flat(), question];
    expect(idsAt(history, 1500)).toMatch(/^u0 a0 u[12]\d /u);
  });
});
