import {
  action,
  assistantMessage,
  attachment,
  observation,
  systemMessage,
  userMessage,
} from "@agent-history/core";
import type { HistoryEntry, ReductionPlan, TokenCounter } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { chat, counter, idsAt, options } from "../test-support/character-counter.ts";
import type { FitOptions } from "./fit-options.ts";
import { fitToWindow } from "./fit-to-window.ts";
import { planReduction } from "./fit-to-window.ts";
import type { ReductionStep } from "./reduction-step.ts";

describe("fitToWindow", () => {
  it("drops whole turns, oldest first", () => {
    expect(idsAt(chat, 60)).toBe("u2 a2 u3 a3 u4 a4");
    expect(idsAt(chat, 55)).toBe("u3 a3 u4 a4");
  });

  it("fills the room that is left with the turn at the edge, its long answer shortened", () => {
    const long = [
      userMessage({ id: "u", content: "q".repeat(10) }),
      assistantMessage({ id: "a", content: "a".repeat(200) }),
      userMessage({ id: "v", content: "n".repeat(10) }),
    ];
    const { entries, plan } = fitToWindow(long, options(150));
    expect(entries.map(({ id }) => id)).toEqual(["u", "a", "v"]);
    expect(plan.totalTokens).toBeGreaterThan(100);
    expect(plan.totalTokens).toBeLessThanOrEqual(150);
  });

  it("keeps system messages and pins where they stand", () => {
    const pinned = userMessage({ id: "p", content: "p".repeat(10), pinned: true });
    const system = systemMessage({ id: "s", content: "s".repeat(5) });
    expect(idsAt([system, pinned, ...chat], 35)).toBe("s p u4 a4");
  });

  it("takes undefined for any option that may be left out, such as a previous plan that is not there yet", () => {
    let plan: ReductionPlan | undefined;
    const given: FitOptions = { ...options(60), previousPlan: plan, viewer: undefined };
    const first = fitToWindow(chat, given);
    expect(first).toEqual(fitToWindow(chat, options(60)));
    plan = first.plan;
    expect(fitToWindow(chat, { ...given, previousPlan: plan }).entries).toEqual(first.entries);
  });

  it("keeps the room for the answer and the margin free", () => {
    const window = { contextTokens: 60, outputReserveTokens: 10, marginTokens: 10 };
    expect(idsAt(chat, 60, { window })).toBe("u3 a3 u4 a4");
  });

  it("passes over what a step may not drop", () => {
    const greedy: ReductionStep = {
      name: "greedy",
      *propose(units) {
        for (const unit of units) yield { kind: "drop", unit, reason: "no reason" };
      },
    };
    const pinned = userMessage({ id: "p", content: "p".repeat(10), pinned: true });
    expect(idsAt([pinned, ...chat], 30, { steps: [greedy] })).toBe("p u4 a4");
  });

  it("shrinks the running exchange only when nothing older is left, and keeps the question", () => {
    const call = { id: "c", name: "read", arguments: "{}" };
    const running = [
      userMessage({ id: "u5", content: "q".repeat(10) }),
      action({ id: "x", toolCalls: [call] }),
      observation({
        id: "o",
        callId: "c",
        toolName: "read",
        outcome: "success",
        content: "r".repeat(400),
      }),
    ];
    const { entries, plan } = fitToWindow([...chat, ...running], {
      ...options(100),
      maxResultShare: 1,
    });
    expect(entries.map(({ id }) => id)).toEqual(["u5", "x", "o"]);
    expect(plan.totalTokens).toBeLessThanOrEqual(100);
    expect(JSON.stringify(entries.at(-1))).toContain("characters left out");
  });

  it("does not let one huge old result hide what lies before it", () => {
    const call = { id: "c", name: "read", arguments: "{}" };
    const huge = [
      action({ id: "x", toolCalls: [call] }),
      observation({
        id: "o",
        callId: "c",
        toolName: "read",
        outcome: "success",
        content: [{ type: "opaque", data: "r".repeat(5000) }],
      }),
    ];
    const entries = [...chat.slice(0, 6), ...huge, ...chat.slice(6)];
    expect(idsAt(entries, 80)).toContain("u1 a1");
  });

  it("drops uncited sources of earlier turns before anything else, and never renumbers", () => {
    const sources = [3, 7, 9].map((number) => ({ number, id: `s${number}`, text: "t".repeat(20) }));
    const call = { id: "c", name: "search", arguments: "{}" };
    const entries = [
      userMessage({ id: "u1", content: "q".repeat(10) }),
      action({ id: "x", toolCalls: [call] }),
      observation({
        id: "o",
        callId: "c",
        toolName: "search",
        outcome: "success",
        content: "",
        sources,
      }),
      assistantMessage({ id: "a1", content: "See [source7]." }),
      userMessage({ id: "u2", content: "q".repeat(10) }),
    ];
    const fitted = fitToWindow(entries, options(60)).entries;
    const kept = fitted.flatMap((entry) =>
      entry.type === "observation" ? (entry.sources ?? []) : [],
    );
    expect(kept.map(({ number }) => number)).toEqual([7]);
    expect(fitted.length).toBe(5);
  });

  it("keeps the cited source that helps to answer, not the one that ranks first", () => {
    const sources = ["Paris", "Rome"].map((text, number) => ({
      number,
      id: text,
      text: text.repeat(8),
    }));
    const call = { id: "c", name: "search", arguments: "{}" };
    const fields = { callId: "c", toolName: "search", outcome: "success", content: "" } as const;
    const entries = [
      userMessage({ id: "u1", content: "q".repeat(10) }),
      action({ id: "x", toolCalls: [call] }),
      observation({ id: "o", ...fields, sources }),
      assistantMessage({ id: "a1", content: "See [source0, source1]." }),
      userMessage({ id: "u2", content: "And Rome?" }),
    ];
    const scorer = {
      name: "rome",
      score: (_: string, scored: readonly HistoryEntry[]) =>
        scored.map((entry) => (JSON.stringify(entry).includes("Rome") ? 1 : 0)),
    };
    const { entries: fitted } = fitToWindow(entries, { ...options(75), scorer });
    const result = fitted.find(({ id }) => id === "o");
    expect(result).toMatchObject({ sources: [{ number: 1 }] });
  });

  it("keeps uploads between their floor and their ceiling", () => {
    const upload = attachment({ id: "f", messageId: "u4", content: "f".repeat(1000) });
    const { entries } = fitToWindow([...chat, upload], { ...options(300), maxResultShare: 1 });
    const kept = entries.find(({ id }) => id === "f");
    const length = kept === undefined ? 0 : counter.countEntry(kept);
    expect(length).toBeGreaterThan(60);
    expect(length).toBeLessThanOrEqual(180);
    expect(JSON.stringify(kept)).toContain("characters left out");
  });

  it("leaves one line of an upload that had to go, which says what and how large it was", () => {
    const text = "f".repeat(1000);
    const upload = attachment({ id: "f", messageId: "u4", name: "notes.txt", content: text });
    const question = userMessage({ id: "u5", content: "q".repeat(70) });
    const { entries } = fitToWindow([upload, question], { ...options(115), maxResultShare: 1 });
    expect(entries[0]).toMatchObject({ content: "[cleared: notes.txt, 1000 characters]" });
  });

  it("says what it did with each run, why, and by which step", () => {
    const { decisions } = planReduction(chat, options(40));
    expect(decisions).toEqual([
      {
        from: "u1",
        to: "a2",
        entryCount: 4,
        action: { kind: "drop" },
        step: "drop-old-messages",
        reason: "of an earlier turn",
        tokensBefore: 40,
        tokensAfter: 0,
      },
      {
        from: "u3",
        to: "a3",
        entryCount: 2,
        action: { kind: "keep" },
        step: "keep",
        reason: "fits",
        tokensBefore: 20,
        tokensAfter: 20,
      },
      {
        from: "u4",
        to: "u4",
        entryCount: 1,
        action: { kind: "keep" },
        step: "protect",
        reason: "question",
        tokensBefore: 10,
        tokensAfter: 10,
      },
      {
        from: "a4",
        to: "a4",
        entryCount: 1,
        action: { kind: "keep" },
        step: "protect",
        reason: "newest entry",
        tokensBefore: 10,
        tokensAfter: 10,
      },
    ]);
  });

  it("counts nothing beyond two windows", () => {
    let counted = 0;
    const counting: TokenCounter = {
      ...counter,
      countEntry: (entry) => {
        counted += 1;
        return counter.countEntry(entry);
      },
    };
    const long = Array.from({ length: 20_000 }, (_, nth) =>
      userMessage({ id: `u${nth}`, content: "q".repeat(10) }),
    );
    const answered = long.flatMap((entry, nth) => [
      entry,
      assistantMessage({ id: `a${nth}`, content: "a".repeat(10) }),
    ]);
    fitToWindow(answered, { ...options(1000), counter: counting });
    expect(counted).toBeLessThan(600);
  });

  it("appends to the plan of the previous call, and counts only what is new", () => {
    let counted = 0;
    const counting: TokenCounter = {
      ...counter,
      countEntry: (entry) => {
        counted += 1;
        return counter.countEntry(entry);
      },
    };
    const first = fitToWindow(chat, { ...options(1000), counter: counting });
    counted = 0;
    const next = [...chat, userMessage({ id: "u5", content: "q".repeat(10) })];
    const second = fitToWindow(next, {
      ...options(1000),
      counter: counting,
      previousPlan: first.plan,
    });
    expect(counted).toBe(1);
    expect(second.entries).toBe(next);
  });

  it("goes down to the low watermark when the window is full, and then leaves the prefix alone", () => {
    const log: HistoryEntry[] = [];
    let previousPlan;
    const firsts: string[] = [];
    for (let turn = 0; turn < 30; turn++) {
      log.push(userMessage({ id: `u${turn}`, content: "q".repeat(10) }));
      const fitted = fitToWindow(log, { ...options(100), ...(previousPlan && { previousPlan }) });
      previousPlan = fitted.plan;
      firsts.push(fitted.entries[0]?.id ?? "");
      log.push(assistantMessage({ id: `a${turn}`, content: "a".repeat(10) }));
    }
    const changes = firsts.filter((id, turn) => turn > 0 && id !== firsts[turn - 1]).length;
    expect(changes).toBeLessThan(20);
  });

  it("ignores a plan for another window, counter or view", () => {
    const { plan } = fitToWindow(chat, options(40));
    expect(idsAt(chat, 60, { previousPlan: plan })).toBe("u2 a2 u3 a3 u4 a4");
    const other = { ...plan, counterId: "other" };
    expect(idsAt(chat, 60, { previousPlan: other })).toBe("u2 a2 u3 a3 u4 a4");
  });

  it("keeps the turn of what the scorer finds, though it is old", () => {
    const scorer = {
      name: "first",
      score: (_: string, entries: readonly HistoryEntry[]) =>
        entries.map(({ id }) => (id === "u1" ? 1 : 0)),
    };
    expect(idsAt(chat, 40, { scorer })).toBe("u1 a1 u4 a4");
  });
});
