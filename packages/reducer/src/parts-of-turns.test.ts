import {
  action,
  assistantMessage,
  errorEntry,
  final,
  memory,
  observation,
  synthesis,
  systemMessage,
  task,
  userMessage,
} from "@agent-history/core";
import type { Agent, HistoryEntry } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { counter } from "../test-support/character-counter.ts";
import { expectLaws } from "../test-support/expect-laws.ts";
import { fitToWindow } from "./fit-to-window.ts";
import { importanceScorer } from "./importance-scorer.ts";

const image = {
  type: "image",
  source: { kind: "url", url: `https://example.org/${"i".repeat(60)}.png` },
} as const;
const question = userMessage({ id: "u9", content: "q" });
const call = action({ id: "x", toolCalls: [{ id: "c", name: "t", arguments: "{}" }] });
const result = (content: string): HistoryEntry =>
  observation({ id: "r", callId: "c", toolName: "t", outcome: "success", content });

describe("fitToWindow with a plan that keeps a turn in part", () => {
  it("keeps its prefix where a later answer stands in for one that had no room beside the question", () => {
    const note = assistantMessage({ id: "note", content: "a".repeat(20) });
    const asked = userMessage({ id: "u", content: "q".repeat(10) });
    const calling = { ...call, content: "c".repeat(10) };
    const options = { window: { contextTokens: 25 }, counter };
    const first = fitToWindow([asked, note, calling], options);
    expect(first.entries).toEqual([asked, calling]);
    const answer = assistantMessage({ id: "a", content: "ok" });
    const answered = [asked, note, calling, result("r"), answer];
    const second = fitToWindow(answered, { ...options, previousPlan: first.plan });
    const after = [...answered, question];
    const third = fitToWindow(after, { ...options, previousPlan: second.plan });
    expect(third.entries).toEqual(after.toSpliced(1, 1));
    expect(third.plan.continued).toEqual({ entryCount: 5 });
    expectLaws(after, third, { window: 25, counter });
  });

  it("parts once its turn is over what stood as one role in a row while it was being answered", () => {
    const agent = { id: "w", role: "worker" } as const;
    const options = { window: { contextTokens: 1000 }, counter };
    const reported = [
      userMessage({ id: "u", content: "q" }),
      { ...call, agent, content: "c".repeat(3000) },
      { ...result("r"), agent },
      final({ id: "f", agent, content: "done" }),
    ];
    const first = fitToWindow(reported, options);
    expect(first.entries.map(({ id }) => id)).toEqual(["u", "f"]);
    const answered = [...reported, assistantMessage({ id: "a", content: "a" }), question];
    const second = fitToWindow(answered, { ...options, previousPlan: first.plan });
    expect(second.entries.map(({ id }) => id)).toEqual(["u", "a", "u9"]);
    expect(second.plan.continued?.stoppedBy).toBe("dropped-needed");
    expectLaws(answered, second, { window: 1000, counter });
  });

  it.each([
    ["text", "a line of the result\n".repeat(23)],
    ["rows", JSON.stringify(Array.from({ length: 6 }, (_, id) => ({ id, note: "n".repeat(60) })))],
  ])("brings back no finished exchange while the running result, %s, is shortened", (_, long) => {
    const old = { ...call, id: "x0", toolCalls: [{ id: "c0", name: "t", arguments: "{}" }] };
    const given = [
      userMessage({ id: "u", content: "q".repeat(30) }),
      old,
      observation({ id: "r0", callId: "c0", toolName: "t", outcome: "success", content: "ok" }),
      call,
      result(long),
    ];
    const options = { window: { contextTokens: 500 }, counter, maxResultShare: 1 };
    const { entries } = fitToWindow(given, options);
    expect(entries.map(({ id }) => id)).toEqual(["u", "x", "r"]);
    expect(entries.at(-1)).not.toBe(given.at(-1));
  });

  it("drops a finished exchange and the note before it rather than shorten the running result", () => {
    const old = { ...call, id: "x0", toolCalls: [{ id: "c0", name: "t", arguments: "{}" }] };
    const given = [
      userMessage({ id: "u", content: "q".repeat(30) }),
      assistantMessage({ id: "a", content: "First I write it." }),
      { ...old, content: "w".repeat(400) },
      observation({ id: "r0", callId: "c0", toolName: "t", outcome: "success", content: "ok" }),
      call,
      result("a line of the result\n".repeat(10)),
    ];
    const options = { window: { contextTokens: 500 }, counter };
    const { entries } = fitToWindow(given, options);
    expect(entries).toEqual([given[0], ...given.slice(4)]);
  });

  it.each([false, true])(
    "drops the exchanges behind a note one by one, running: %s",
    (isRunning) => {
      const rounds = Array.from({ length: 10 }, (_, nth) => [
        action({
          id: `x${nth}`,
          content: "w".repeat(80),
          toolCalls: [{ id: `c${nth}`, name: "t", arguments: "{}" }],
        }),
        observation({
          id: `r${nth}`,
          callId: `c${nth}`,
          toolName: "t",
          outcome: "success",
          content: "r".repeat(100),
        }),
      ]).flat();
      const note = assistantMessage({ id: "a", content: "I begin." });
      const given = [userMessage({ id: "u", content: "q" }), note, ...rounds];
      const options = { window: { contextTokens: 500 }, counter };
      const { entries } = fitToWindow(isRunning ? given : [...given, question], options);
      const kept = entries.flatMap(({ id }) => (id.startsWith("x") ? id : []));
      expect(kept.slice(0, 1)).toEqual(["x0"]);
      expect(kept.slice(-2)).toEqual(["x8", "x9"]);
    },
  );

  it("keeps no note next to a request where the turn between was too far back to be read", () => {
    const turnOf = (nth: number): readonly HistoryEntry[] => [
      userMessage({ id: `u${nth}`, content: "q".repeat(10) }),
      assistantMessage({ id: `a${nth}`, content: "a".repeat(10) }),
    ];
    const note = errorEntry({ id: "note", content: "note" });
    const told = [
      ...Array.from({ length: 9 }, (_, nth) => turnOf(nth)).flat(),
      call,
      result("r"),
      note,
    ];
    const scorer = {
      name: "told",
      score: (_: string, all: readonly HistoryEntry[]) =>
        all.map((one) => Number(told.includes(one))),
    };
    const since = [10, 11].flatMap(turnOf);
    const options = { window: { contextTokens: 40 }, counter, scorer };
    const { entries } = fitToWindow([...told, ...since, question], options);
    expect(entries.map(({ id }) => id)).toEqual(["u8", "a8", "x", "r", "u9"]);
  });

  it("gives up a request that led to a late result once that is no longer the newest entry", () => {
    const late = [
      userMessage({ id: "u", content: "" }),
      call,
      assistantMessage({ id: "a", content: "a".repeat(10) }),
      userMessage({ id: "u2", content: "q".repeat(25) }),
      result(""),
    ];
    const options = { window: { contextTokens: 30 }, counter };
    const first = fitToWindow(late, options);
    expect(first.entries.map(({ id }) => id)).toEqual(["u", "x", "r", "u2"]);
    const after = [...late, assistantMessage({ id: "a2", content: "ok" })];
    const second = fitToWindow(after, { ...options, previousPlan: first.plan });
    expect(second.entries.map(({ id }) => id)).toEqual(["u2", "a2"]);
    expectLaws(after, second, { window: 30, counter });
  });

  it("takes back a memory that a move has made the newest entry", () => {
    const fact = memory({ id: "m", content: "f".repeat(4) });
    const calling = { ...call, content: "c".repeat(10) };
    const asked = userMessage({ id: "u", content: "q".repeat(10) });
    const note = assistantMessage({ id: "note", content: "a".repeat(20) });
    const before = [asked, note, calling, fact, result("r")];
    const options = { window: { contextTokens: 42 }, counter };
    const first = fitToWindow(before, options);
    expect(first.entries).not.toContain(fact);
    const after = [asked, note, calling, result("r"), fact];
    const moved = fitToWindow(after, { ...options, previousPlan: first.plan });
    expect(moved.plan.continued?.entryCount).toBe(0);
    expect(moved.entries).toContain(fact);
  });

  it("keeps a named turn whole where a request without a name was inserted behind what is gone", () => {
    const turnId = "t1";
    const agent = { id: "m", role: "manager" } as const;
    const before = [
      userMessage({ id: "u", turnId, content: "q".repeat(10) }),
      task({ id: "t", turnId, agent, content: "t".repeat(50) }),
      synthesis({ id: "s", turnId, agent, content: "s".repeat(20) }),
      assistantMessage({ id: "a", turnId, content: "a".repeat(20) }),
    ];
    const options = { window: { contextTokens: 72 }, counter, firstRequestShare: 0 };
    const first = fitToWindow(before, options);
    expect(first.entries.map(({ id }) => id)).toEqual(["u", "s", "a"]);
    const inserted = userMessage({ id: "inserted", content: "q".repeat(10) });
    const after = [...before.toSpliced(2, 0, inserted), { ...question, content: "q".repeat(11) }];
    const second = fitToWindow(after, { ...options, previousPlan: first.plan });
    expect(second.entries.map(({ id }) => id)).toEqual(["u", "inserted", "s", "a", "u9"]);
    expectLaws(after, second, { window: 72, counter });
  });

  it("drops a request with its late answer, though it stands in a row with the question", () => {
    const turnId = "t2";
    const asked = userMessage({ id: "u2", turnId, content: "q".repeat(10) });
    const work = [
      { ...call, turnId },
      { ...result("r".repeat(10)), turnId },
    ];
    const history = [
      userMessage({ id: "u1", turnId: "t1", content: "q".repeat(10) }),
      asked,
      assistantMessage({ id: "a1", turnId: "t1", content: "a".repeat(30) }),
      ...work,
    ];
    const fitted = fitToWindow(history, { window: { contextTokens: 57 }, counter });
    expect(fitted.entries).toEqual([asked, ...work]);
    expectLaws(history, fitted, { window: 57, counter });
  });

  it("takes no exchange for a running one whose agent went on in what was dropped", () => {
    const [lead, hand] = [
      { id: "m", role: "manager" },
      { id: "w", role: "worker" },
    ] as const;
    const done = (
      id: string,
      content: string,
      more: { readonly agent: Agent; readonly pinned?: boolean; readonly content?: string },
    ): readonly HistoryEntry[] => {
      const { agent } = more;
      const answers = { agent, callId: id, toolName: "t", outcome: "success", content } as const;
      return [
        action({ id, toolCalls: [{ id, name: "t", arguments: "{}" }], ...more }),
        observation({ id: `r-${id}`, ...answers }),
      ];
    };
    const before = [
      task({ id: "t1", agent: lead, content: "q".repeat(10) }),
      ...done("x1", "r".repeat(20), { agent: hand, pinned: true }),
      ...done("x2", "r", { agent: hand, content: "c".repeat(60) }),
      final({ id: "f", agent: hand, content: "f" }),
      synthesis({ id: "s", agent: lead, content: "s".repeat(10) }),
    ];
    const options = { window: { contextTokens: 70 }, counter, viewer: { agentId: "m" } };
    const { plan } = fitToWindow(before, options);
    const after = [
      ...before,
      task({ id: "t2", agent: lead, content: "q".repeat(10) }),
      ...done("x3", "r".repeat(30), { agent: lead }),
      ...done("x4", "r", { agent: lead }),
    ];
    const cut = fitToWindow(after, { ...options, previousPlan: plan });
    expect(cut.plan.continued?.stoppedBy).toBe("cut");
    const kept = cut.plan.decisions.find(({ from }) => from === "x1");
    expect(kept).toMatchObject({ step: "protect", reason: "pinned" });
  });
});

describe("fitToWindow, settling roles", () => {
  it("parts a note from the question, whatever instructions stand between", () => {
    const entries = [
      errorEntry({ id: "note", content: "e".repeat(10) }),
      systemMessage({ id: "s", content: "s", pinned: true }),
      userMessage({ id: "u1", content: "q".repeat(20) }),
      assistantMessage({ id: "a1", content: "a".repeat(20) }),
      question,
    ];
    const options = { window: { contextTokens: 30 }, counter, scorer: importanceScorer() };
    const { entries: fitted } = fitToWindow(entries, options);
    expect(fitted.map(({ id }) => id)).toEqual(["s", "u9"]);
  });

  it("lets a greeting go also where nothing is left that reads as a user's", () => {
    const other = { id: "b", role: "worker" } as const;
    const entries = [
      assistantMessage({ id: "greeting", content: "t" }),
      assistantMessage({ id: "pin", content: "p".repeat(10), pinned: true }),
      final({ id: "f", agent: other, content: [image] }),
      assistantMessage({ id: "a", content: "a".repeat(20) }),
    ];
    const options = { window: { contextTokens: 40 }, counter, viewer: { agentId: "a" } };
    // Of steps of one's own nothing is known.
    const { entries: fitted } = fitToWindow(entries, { ...options, steps: [] });
    expect(fitted.map(({ id }) => id)).toEqual(["pin", "a"]);
  });
});
