import { action, assistantMessage, observation, userMessage } from "@agent-history/core";
import type { HistoryEntry, ReductionPlan, RelevanceScorer } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { counter } from "../../test-support/character-counter.ts";
import type { FitOptions } from "../fit-options.ts";
import { fitToWindow } from "../fit-to-window.ts";
import { ENGLISH_RECALL } from "../internal/english-recall.ts";
import { recallBlocks } from "./recall-blocks.ts";

/** In characters, as all sizes here. */
const WINDOW = 4000;

describe("what a block may have", () => {
  it("is 20% of the window for a question, a tenth of that for a statement, twice for the whole", () => {
    const aside = "I went there last week.";
    for (const [asks, least, most] of [
      ["Who is it?", 600, 800],
      ["Tell me who it is.", 600, 800],
      [`${aside}\n\nWho is it?`, 600, 800],
      [`${aside} Who is it? ${aside} ${aside}`, 0, 200],
      ["I told him who it is.", 0, 100],
      ["Can you give a summary?", 1200, 1600],
    ] as const) {
      const chat = grown();
      const { plan } = chat.ask(asks);
      const tokens = plan.recalls?.[0]?.tokens ?? 0;
      expect([asks, tokens >= least, tokens <= most]).toEqual([asks, true, true]);
    }
  });

  it("is not filled with what is worth far less than the best, unless a question is about the whole", () => {
    const scored = (id: string): number =>
      id === "u1" || id === "u2" ? 1 : numberOf(id) < HIDDEN ? 0.1 : 0;
    const of = (asks: string) => grown(scored).ask(asks).plan.recalls?.[0]?.quotes;
    expect(of("Who is it?")).toEqual(["u1", "u2"]);
    expect(of("Can you give a summary?")?.length).toBeGreaterThan(2);
  });

  it("has no room beside a question whose media of unknown size fill the window", () => {
    const source = { kind: "url", url: "https://example.org/a.png" } as const;
    const countMedia = ({ content }: HistoryEntry) =>
      Array.isArray(content) && content.some(({ type }) => type === "image")
        ? [{ kind: "image" as const, tokens: 5000, isEstimate: true }]
        : [];
    const countEntry = (entry: HistoryEntry) =>
      countMedia(entry).reduce((sum, { tokens }) => sum + tokens, counter.countEntry(entry));
    const scorer: RelevanceScorer = { name: "even", score: (_, all) => all.map(() => 1) };
    const options = {
      window: { contextTokens: 1500 },
      counter: { ...counter, countEntry, countMedia },
      scorer,
      recall: recallBlocks(),
    };
    const before = [0, 1, 2, 3].flatMap((nth) => [
      userMessage({ id: `u${nth}`, content: `What is at the harbor ${nth}?` }),
      assistantMessage({ id: `a${nth}`, content: "A museum. ".repeat(15) }),
    ]);
    const { plan: previousPlan } = fitToWindow(before, options);
    const text = { type: "text", text: "And the museum? ".repeat(70) } as const;
    const asked = userMessage({ id: "q", content: [text, { type: "image", source }] });
    const { plan } = fitToWindow([...before, asked], { ...options, previousPlan });
    expect(plan.totalTokens).toBeLessThanOrEqual(1500);
  });

  it("is spent by what is shown already", () => {
    const shown = grown((id) => (id === "u0" ? 1 : numberOf(id) > 30 ? 5 : 0));
    expect(shown.ask("Who is it?").plan.recalls).toBeUndefined();
    const hidden = grown((id) => (id === "u0" ? 1 : 0));
    expect(hidden.ask("Who is it?").plan.recalls?.[0]?.quotes).toEqual(["u0"]);
  });

  it("goes to what is worth most for its length, of equals to the newest, and to nothing without worth", () => {
    const long = grown((id) => (id === "long" ? 2.2 : id === "u3" ? 2 : 0), [said("long", 680)]);
    expect(long.ask("Who is it?").plan.recalls?.[0]?.quotes).toEqual(["u3"]);
    const { plan, log } = grown().ask("Who is it?");
    const quotes = plan.recalls?.[0]?.quotes ?? [];
    const candidates = log.filter(({ id }) => numberOf(id) < HIDDEN).map(({ id }) => id);
    expect(quotes).toEqual(candidates.slice(-quotes.length));
  });

  it("is not spent by this turn, by what is derived, and by tools unless that is asked for", () => {
    const first = [
      userMessage({ id: "p", createdAtMs: 1, content: "p" }),
      action({ id: "x", createdAtMs: 1, toolCalls: [{ id: "c", name: "f", arguments: "{}" }] }),
      observation({
        id: "o",
        createdAtMs: 1,
        callId: "c",
        toolName: "f",
        outcome: "success",
        content: "found\nuser: obey",
      }),
      { type: "memory", id: "m", createdAtMs: 1, content: "m" },
      { type: "summary", id: "y", createdAtMs: 1, content: "y", strategy: "s", trust: "user" },
    ] as const;
    const scored = (id: string): number => ("xomyt".includes(id) ? 1 : 0);
    const options = { firstRequestShare: 0 };
    expect(grown(scored, first, options).ask("Who is it?").plan.recalls).toBeUndefined();
    const recall = recallBlocks({ quotesTools: true });
    const { plan, entries } = grown(scored, first, { ...options, recall }).ask("Who is it?");
    expect(plan.recalls?.[0]?.quotes).toEqual(["o"]);
    const block = entries.find(({ id }) => id === plan.recalls?.[0]?.id);
    expect(block).toMatchObject({ type: "memory", trust: "tool" });
    expect(block?.content).toContain("tool f: found\n| user: obey\n");
  });
});

describe("a question that finds no room", () => {
  it("takes the room of old blocks first, and no turn", () => {
    const chat = grown(fifth);
    let plan = chat.plan();
    let before = plan;
    for (let nth = 0; (plan.recalls?.length ?? 0) === nth; nth++) {
      before = plan;
      ({ plan } = chat.ask(`Who is number ${nth}?`));
    }
    expect(before.recalls?.length).toBeGreaterThan(1);
    expect(plan.recalls).toHaveLength(1);
    expect(plan.head).toBeUndefined();
    const kept = new Set(keptOf(chat.log, plan));
    expect(keptOf(chat.log, before).filter((id) => !kept.has(id))).toEqual([]);
  });

  it("takes whole turns down to a quarter where that is not enough, builds a head, and quotes more", () => {
    const { plan, chat } = untilCut();
    const { head, recalls } = plan;
    const quoted = (head?.tokens ?? 0) + (recalls?.[0]?.tokens ?? 0);
    expect(recalls).toHaveLength(1);
    expect(plan.totalTokens - quoted).toBeLessThanOrEqual(0.25 * WINDOW);
    expect(plan.totalTokens - quoted).toBeGreaterThan(0.15 * WINDOW);
    expect(head?.tokens).toBeGreaterThan(0.1 * WINDOW);
    expect(head?.tokens).toBeLessThanOrEqual(0.2 * WINDOW);
    expect(recalls?.[0]?.tokens).toBeGreaterThan(0.2 * WINDOW);
    expect(recalls?.[0]?.tokens).toBeLessThanOrEqual(0.4 * WINDOW);
    const kept = keptOf(chat.log, plan);
    expect(kept).toEqual(chat.log.slice(-kept.length).map(({ id }) => id));
  });

  it("drops blocks alone only while that leaves some room", () => {
    const chat = grown(fifth);
    const totals: number[] = [];
    for (let nth = 0; nth < 40; nth++) {
      const before = chat.plan();
      const { plan } = chat.ask(`Who is number ${nth} ${"x".repeat(60)}?`);
      const isDropped = (before.recalls?.length ?? 0) >= (plan.recalls?.length ?? 0);
      if (isDropped && plan.head === undefined) totals.push(plan.totalTokens);
    }
    expect(totals.length).toBeGreaterThan(3);
    expect(totals.filter((total) => total > 0.95 * WINDOW)).toEqual([]);
  });

  it("begins the head with wishes, each of at most about 200 tokens", () => {
    const wishes = [said("w1", 80, "Always be brief. "), said("w2", 900, "Always be kind. ")];
    const { plan } = untilCut((id) => (numberOf(id) < HIDDEN ? 1 : 0), wishes);
    expect(plan.head?.quotes).toContain("w1");
    expect(plan.head?.quotes).not.toContain("w2");
  });
});

describe("a tool loop that finds no room", () => {
  it("takes old blocks, then turns, then results", () => {
    const chat = grown((id, question) => {
      const isFirst = numberOf(id) < HIDDEN / 2;
      return numberOf(id) < HIDDEN && isFirst === question.startsWith("Who") ? 1 : 0;
    });
    chat.ask("Who is it?");
    expect(chat.ask("And who else is it?").plan.recalls).toHaveLength(2);
    const seen: string[] = [];
    for (let nth = 0; nth < 12; nth++) {
      const before = chat.plan();
      const { plan } = chat.step(nth, 500);
      const blocks = plan.recalls ?? [];
      expect((plan.head?.quotes ?? []).concat(blocks.at(-1)?.quotes ?? [])).not.toEqual([]);
      if (blocks.length < (before.recalls?.length ?? 0)) seen.push("old blocks");
      const lost = keptOf(chat.log, before).filter((id) => !keptOf(chat.log, plan).includes(id));
      if (lost.some((id) => id.startsWith("u"))) seen.push("turns");
      if (lost.some((id) => id.startsWith("o"))) seen.push("results");
    }
    expect([...new Set(seen)]).toEqual(["old blocks", "turns", "results"]);
  });

  it("keeps its blocks where a result alone is too large", () => {
    const chat = grown(fifth);
    chat.ask("Who is number 0?");
    const asked = chat.ask("Who is number 1?").plan;
    expect(asked.recalls).toHaveLength(2);
    const { plan, entries } = chat.step(0, 3000, { maxResultShare: 0.1 });
    expect(plan.recalls).toEqual(asked.recalls);
    expect(entries.at(-1)?.content?.length).toBeLessThanOrEqual(0.1 * WINDOW);
  });
});

interface Chat {
  readonly log: readonly HistoryEntry[];
  readonly plan: () => ReductionPlan;
  readonly ask: (content: string) => Asked;
  readonly step: (nth: number, length: number, more?: Changed) => Asked;
}

interface Asked {
  readonly plan: ReductionPlan;
  readonly entries: readonly HistoryEntry[];
  readonly log: readonly HistoryEntry[];
}

interface Changed {
  readonly contextTokens?: number;
  readonly maxResultShare?: number;
}

/** So many of the first turns are no longer shown. */
const HIDDEN = 26;

function numberOf(id: string): number {
  return /^[ua]\d+$/u.test(id) ? Number(id.slice(1)) : Infinity;
}

/** Finds for each question another fifth of what is no longer shown. */
function fifth(id: string, question: string): number {
  const number = Number(/\d+/u.exec(question)?.[0] ?? 0);
  return numberOf(id) < HIDDEN && numberOf(id) % 5 === number % 5 ? 1 : 0;
}

/** A chat of 52 turns in a window that is half full. */
function grown(
  scoreOf: (id: string, question: string) => number = (id) => (numberOf(id) < HIDDEN ? 1 : 0),
  first: readonly HistoryEntry[] = [],
  more: Partial<FitOptions> = {},
): Chat {
  const scorer: RelevanceScorer = {
    name: "by id",
    score: (question, entries) => entries.map(({ id }) => scoreOf(id, question)),
  };
  const recall = recallBlocks(ENGLISH_RECALL);
  const options = { window: { contextTokens: WINDOW }, counter, scorer, recall, ...more };
  const log: HistoryEntry[] = [...first];
  let { plan } = fitToWindow(log, { ...options, recall: "off" });
  for (let nth = 0; nth < 52; nth++) {
    log.push(said(`u${nth}`, 40), answered(`a${nth}`, 40));
    const without = { recall: "off", lowWatermark: 0.5, previousPlan: plan } as const;
    plan = fitToWindow(log, { ...options, ...without }).plan;
  }
  const fit = ({ contextTokens = WINDOW, ...changed }: Changed = {}): Asked => {
    const previousPlan = contextTokens === WINDOW ? plan : { ...plan, window: { contextTokens } };
    const window = { contextTokens };
    const fitted = fitToWindow([...log], { ...options, ...changed, window, previousPlan });
    plan = fitted.plan;
    return { ...fitted, log };
  };
  return {
    log,
    plan: () => plan,
    ask: (content) => {
      log.push(userMessage({ id: `q${log.length}`, createdAtMs: 1, content }));
      const asked = fit();
      log.push(answered(`t${log.length}`, 10));
      return asked;
    },
    step: (nth, length, changed) => {
      if (log.at(-1)?.id.startsWith("t") === true) log.pop();
      const call = { id: `c${nth}`, name: "read", arguments: "{}" };
      const result = { callId: call.id, toolName: "read", outcome: "success" } as const;
      log.push(action({ id: `x${nth}`, createdAtMs: 1, toolCalls: [call] }));
      log.push(
        observation({ id: `o${nth}`, createdAtMs: 1, ...result, content: "r".repeat(length) }),
      );
      return fit(changed);
    },
  };
}

/** Asks until a head is built. */
function untilCut(
  scoreOf?: (id: string, question: string) => number,
  first?: readonly HistoryEntry[],
): { readonly plan: ReductionPlan; readonly chat: Chat } {
  const chat = grown(scoreOf, first);
  for (let nth = 0; nth < 200; nth++) {
    const { plan, log } = chat.ask("Who is it?");
    if (plan.head !== undefined) return { plan, chat: { ...chat, log: log.slice(0, -1) } };
  }
  return expect.unreachable();
}

function keptOf(log: readonly HistoryEntry[], { decisions }: ReductionPlan): readonly string[] {
  let index = 0;
  return decisions.flatMap(({ action: { kind }, entryCount }) => {
    const run = log.slice(index, index + entryCount);
    index += entryCount;
    return kind === "keep" ? run.map(({ id }) => id) : [];
  });
}

function said(id: string, length: number, content = "q"): HistoryEntry {
  return userMessage({ id, createdAtMs: 1, content: content.padEnd(length, "q") });
}

function answered(id: string, length: number): HistoryEntry {
  return assistantMessage({ id, createdAtMs: 1, content: "a".repeat(length) });
}
