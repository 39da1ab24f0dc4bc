import {
  action,
  assistantMessage,
  attachment,
  isHistoryError,
  observation,
  summary,
  systemMessage,
  userMessage,
} from "@agent-history/core";
import type { Compressor, HistoryEntry, HistoryError, TokenCounter } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { createReducer } from "./create-reducer.ts";
import { embeddingScorer } from "./embedding-scorer.ts";
import type { FitOptions } from "./fit-options.ts";
import { fitToWindow, fitToWindowAsync } from "./fit-to-window.ts";
import { loopTokenReducer } from "./loop-token-reducer.ts";
import { planReduction } from "./plan-reduction.ts";
import type { ReductionStep } from "./reduction-step.ts";
import { replaceOldTurns } from "./steps/replace-old-turns.ts";
import { threeTierReducer } from "./three-tier-reducer.ts";

/** One token for each character of content, sources included. */
const counter: TokenCounter = {
  id: "characters",
  countText: (text) => text.length,
  countEntry: (entry) => {
    const sources = entry.type === "observation" ? (entry.sources ?? []) : [];
    const content = "content" in entry ? (entry.content ?? "") : "";
    const text = typeof content === "string" ? content : JSON.stringify(content);
    return text.length + sources.reduce((sum, source) => sum + source.text.length, 0);
  },
  countRequest: () => 0,
};

const chat = [1, 2, 3, 4].flatMap((turn) => [
  userMessage({ id: `u${turn}`, content: "q".repeat(10) }),
  assistantMessage({ id: `a${turn}`, content: "a".repeat(10) }),
]);

describe("fitToWindow", () => {
  it("drops whole turns, oldest first, and fills what is left with what fits", () => {
    expect(idsAt(chat, 55)).toBe("u2 a2 u3 a3 u4 a4".split(" ").slice(1).join(" "));
    expect(idsAt(chat, 40)).toBe("u3 a3 u4 a4");
  });

  it("keeps system messages and pins where they stand", () => {
    const pinned = userMessage({ id: "p", content: "p".repeat(10), pinned: true });
    const system = systemMessage({ id: "s", content: "s".repeat(5) });
    expect(idsAt([system, pinned, ...chat], 35)).toBe("s p u4 a4");
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

  it("keeps uploads between their floor and their ceiling", () => {
    const upload = attachment({ id: "f", messageId: "u4", content: "f".repeat(1000) });
    const { entries } = fitToWindow([...chat, upload], { ...options(300), maxResultShare: 1 });
    const kept = entries.find(({ id }) => id === "f");
    const length = kept === undefined ? 0 : counter.countEntry(kept);
    expect(length).toBeGreaterThan(60);
    expect(length).toBeLessThanOrEqual(180);
    expect(JSON.stringify(kept)).toContain("characters left out");
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
        step: "keep",
        reason: "fits",
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

  it("appends to the plan of the call before, and counts only what is new", () => {
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

  it("keeps what the scorer finds, though it is old", () => {
    const scorer = {
      name: "first",
      score: (_: string, entries: readonly HistoryEntry[]) =>
        entries.map(({ id }) => (id === "u1" ? 1 : 0)),
    };
    expect(idsAt(chat, 40, { scorer })).toBe("u1 a3 u4 a4");
  });
});

describe("fitToWindow, refusing", () => {
  it("says how much what must be kept needs, where the window is smaller than the system message", () => {
    const system = systemMessage({ content: "s".repeat(50) });
    const error = errorOf(() => fitToWindow([system, ...chat], options(40)));
    expect(error).toMatchObject({
      code: "WINDOW_TOO_SMALL",
      details: { required: 60, available: 40 },
    });
  });

  for (const window of [
    { contextTokens: -1 },
    { contextTokens: NaN },
    { contextTokens: 1.5 },
    { contextTokens: 100, outputReserveTokens: 101 },
    { contextTokens: 100, marginTokens: NaN },
  ]) {
    it(`refuses the window ${JSON.stringify(window)}`, () => {
      expect(errorOf(() => fitToWindow(chat, { window, counter }))?.code).toBe("INVALID_OPTION");
    });
  }

  for (const bad of [{ lowWatermark: 0 }, { lowWatermark: 2 }, { maxResultShare: NaN }]) {
    it(`refuses ${JSON.stringify(bad)}`, () => {
      expect(errorOf(() => fitToWindow(chat, { ...options(100), ...bad }))?.code).toBe(
        "INVALID_OPTION",
      );
    });
  }

  it("names the entry at which a counter gave no count", () => {
    for (const value of [NaN, -1, 0.5]) {
      const broken = { ...counter, countEntry: () => value };
      const error = errorOf(() => fitToWindow(chat, { ...options(100), counter: broken }));
      expect(error).toMatchObject({
        code: "COUNTER_FAILED",
        details: { entryId: expect.any(String) },
      });
    }
  });

  it("wraps what a counter or a step throws", () => {
    const throwing = () => {
      throw new Error("boom");
    };
    const broken = { ...counter, countEntry: throwing };
    expect(errorOf(() => fitToWindow(chat, { ...options(9), counter: broken }))?.code).toBe(
      "COUNTER_FAILED",
    );
    const step: ReductionStep = { name: "bad", propose: throwing };
    const error = errorOf(() => fitToWindow(chat, { ...options(40), steps: [step] }));
    expect(error).toMatchObject({ code: "STEP_FAILED", details: { step: "bad" } });
  });

  it("refuses a scorer that does not score every entry", () => {
    const scorer = { name: "short", score: () => [1] };
    expect(errorOf(() => fitToWindow(chat, { ...options(40), scorer }))?.code).toBe("STEP_FAILED");
  });

  it("says to use the async form where something must be awaited", () => {
    const scorer = { name: "late", score: async () => [] };
    const error = errorOf(() => fitToWindow(chat, { ...options(40), scorer }));
    expect(error?.message).toContain("fitToWindowAsync");
  });
});

describe("fitToWindowAsync", () => {
  it("gives what the sync form gives", async () => {
    const late = {
      id: counter.id,
      countText: async (text: string) => counter.countText(text),
      countEntry: async (entry: HistoryEntry) => counter.countEntry(entry),
      countRequest: async () => 0,
    };
    expect(await fitToWindowAsync(chat, { ...options(45), counter: late })).toEqual(
      fitToWindow(chat, options(45)),
    );
  });

  it("stops when the signal fires", async () => {
    const work = fitToWindowAsync(chat, { ...options(40), signal: AbortSignal.abort() });
    expect(await codeOf(work)).toBe("ABORTED");
  });

  it("finds by embeddings what the question is about, and embeds each entry once", async () => {
    const embedded: string[] = [];
    const embed = async (texts: readonly string[]) => {
      embedded.push(...texts);
      return texts.map((text) => (text.includes("Rome") ? [1, 0] : [0, 1]));
    };
    const entries = [
      userMessage({ id: "r1", content: "Rome is hot." }),
      ...chat,
      userMessage({ id: "u9", content: "And Rome?" }),
    ];
    const scorer = embeddingScorer({ embed });
    const { entries: fitted } = await fitToWindowAsync(entries, { ...options(45), scorer });
    expect(fitted.map(({ id }) => id)).toContain("r1");
    const before = embedded.length;
    await fitToWindowAsync(entries, { ...options(40), scorer });
    expect(embedded.length).toBe(before + 1);
  });

  it("puts a summary in the place of old turns, and goes on without one where it fails", async () => {
    const short = summary({
      id: "z",
      content: "sum",
      strategy: "whole",
      trust: "user",
      view: "thread",
      covers: [{ from: "u1", to: "a3" }],
    });
    const compressor: Compressor = {
      name: "test",
      compress: async () => ({
        outcome: "compressed",
        compaction: { summary: { ...short, view: "thread" }, tokensBefore: 60, tokensAfter: 3 },
      }),
    };
    const fitted = await fitToWindowAsync(chat, {
      ...options(40),
      steps: [replaceOldTurns({ compressor })],
    });
    expect(fitted.entries.map(({ id }) => id)).toEqual(["z", "u4", "a4"]);
    const failing: Compressor = {
      name: "failing",
      compress: async () => ({ outcome: "failed", reason: "no model", error: new Error("x") }),
    };
    const reducer = threeTierReducer({ counter, compressor: failing });
    const without = await reducer.reduce(chat, { window: { contextTokens: 40 } });
    expect(without.entries.map(({ id }) => id)).toEqual(["u3", "a3", "u4", "a4"]);
  });
});

describe("threeTierReducer", () => {
  it("summarises what is neither system, recent nor of this turn", async () => {
    let given: readonly string[] = [];
    const compressor: Compressor = {
      name: "recorder",
      compress: async (entries) => {
        given = entries.map(({ id }) => id);
        return { outcome: "not-beneficial", reason: "test" };
      },
    };
    await threeTierReducer({ counter, compressor, keepRecent: 2 }).reduce(chat, {
      window: { contextTokens: 50 },
    });
    expect(given).toEqual(["u1", "a1", "u2", "a2"]);
  });
});

describe("loopTokenReducer", () => {
  it("reduces references before messages", async () => {
    const sources = [1, 2].map((number) => ({ number, id: `s${number}`, text: "t".repeat(30) }));
    const entries = [
      ...chat.slice(0, 1),
      action({ id: "x", toolCalls: [{ id: "c", name: "search", arguments: "{}" }] }),
      observation({
        id: "o",
        callId: "c",
        toolName: "search",
        outcome: "success",
        content: "",
        sources,
      }),
      ...chat.slice(1),
    ];
    const reducer = loopTokenReducer({ counter });
    const { entries: fitted } = await reducer.reduce(entries, { window: { contextTokens: 100 } });
    expect(fitted.length).toBe(entries.length);
  });
});

describe("createReducer", () => {
  it("is a fit with counter and steps chosen beforehand", async () => {
    const reducer = createReducer({ counter, name: "mine" });
    const { entries } = await reducer.reduce(chat, { window: { contextTokens: 40 } });
    expect([reducer.name, entries.length]).toEqual(["mine", 4]);
  });
});

function options(contextTokens: number): FitOptions {
  return { window: { contextTokens }, counter };
}

function idsAt(
  entries: readonly HistoryEntry[],
  contextTokens: number,
  more: Partial<FitOptions> = {},
): string {
  const fitted = fitToWindow(entries, { ...options(contextTokens), ...more });
  return fitted.entries.map(({ id }) => id).join(" ");
}

function errorOf(work: () => unknown): HistoryError | undefined {
  try {
    work();
  } catch (error) {
    if (isHistoryError(error)) return error;
    throw error;
  }
  return undefined;
}

async function codeOf(work: Promise<unknown>): Promise<string | undefined> {
  return work.then(
    () => undefined,
    (error: { readonly code?: string }) => error.code,
  );
}
