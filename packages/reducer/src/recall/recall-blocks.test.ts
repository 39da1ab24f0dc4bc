import { action, observation, task } from "@agent-history/core";
import type { HistoryEntry, ReductionPlan } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { errorOf } from "../../test-support/character-counter.ts";
import {
  THINGS,
  answer,
  askOften,
  askOptions,
  grow,
  question,
  said,
  textOf,
} from "../../test-support/growing-chat.ts";
import { applyPlan } from "../apply-plan.ts";
import { fitToWindow } from "../fit-to-window.ts";
import { lexicalScorer } from "../lexical/index.ts";
import { recallBlocks } from "./recall-blocks.ts";

describe("recallBlocks", () => {
  it("quotes what answers a new question just before it, and leaves all that was sent as it was", () => {
    const before = grow();
    const asked = [...before.history, question("q1", "Who repaired the kayak?")];
    const { entries, plan } = fitToWindow(asked, { ...before.options, previousPlan: before.plan });
    expect(entries.slice(0, before.sent.length)).toEqual(before.sent);
    expect(plan.continued).toEqual({ entryCount: before.history.length });
    const [recall] = plan.recalls ?? [];
    expect(recall).toMatchObject({ before: "q1", format: "quoted-1" });
    expect(recall?.quotes).toContain("u0");
    expect(entries.at(-1)?.id).toBe("q1");
    expect(entries.at(-2)).toMatchObject({ type: "memory", id: recall?.id, trust: "user" });
    expect(textOf(entries.at(-2))).toContain("[2026-01-01]\nuser: Ann repaired the kayak.\n");
    const { plan: alike } = fitToWindow(entries, {
      ...before.options,
      window: { contextTokens: Infinity },
    });
    expect(plan.totalBytes).toBe(alike.totalBytes);
  });

  it("prefers what was answered and decided to questions that nobody answered and to set phrases", () => {
    const asks = "Which port does the harbor server listen on?";
    const pairs = (from: number, count: number): readonly HistoryEntry[] =>
      Array.from({ length: count }, (_, nth) => [
        said(`open${from + nth}`, asks, 1),
        answer(`noted${from + nth}`, "Noted."),
      ]).flat();
    const talk = [
      ...pairs(0, 6),
      said("answered", asks, 1),
      answer("port", "The harbor server listens on port 8410, we decided."),
      ...pairs(6, 6),
      ...grow().history.slice(1),
    ];
    const options = askOptions();
    const shown = { ...options, recall: "off" } as const;
    const first = fitToWindow(talk.slice(0, 40), shown);
    const { plan: previousPlan } = fitToWindow(talk, { ...shown, previousPlan: first.plan });
    for (const text of [asks, "Summarize what was said of the port of the harbor server."]) {
      const { plan } = fitToWindow([...talk, question("q1", text)], { ...options, previousPlan });
      const quotes = plan.recalls?.flatMap((one) => one.quotes) ?? [];
      expect(quotes).toEqual(expect.arrayContaining(["answered", "port"]));
      expect(quotes.filter((id) => id.startsWith("noted"))).toEqual([]);
    }
  });

  it("is what a lexical scorer brings, and nothing without a plan, with `off`, or while all is shown", () => {
    const { history, plan, options } = grow();
    const asked = [...history, question("q1", "Who repaired the kayak?")];
    expect(fitToWindow(asked, options).plan.recalls).toBeUndefined();
    const off = fitToWindow(asked, { ...options, recall: "off", previousPlan: plan });
    expect(off.plan.recalls).toBeUndefined();
    const large = { ...options, window: { contextTokens: 100_000 } };
    const { plan: whole } = fitToWindow(history, large);
    expect(fitToWindow(asked, { ...large, previousPlan: whole }).entries).toBe(asked);
  });

  it("works with any scorer where it is handed in, and not with one that brings none", () => {
    const { history, plan, options } = grow();
    const asked = [...history, question("q1", "Who repaired the kayak?")];
    const scorer = {
      name: "own",
      score: (_: string, entries: readonly HistoryEntry[]) =>
        entries.map(({ id }) => (id === "u0" ? 9 : 1)),
    };
    const own = { ...options, scorer, previousPlan: plan };
    const fitted = fitToWindow(asked, { ...own, recall: recallBlocks() });
    expect(fitted.plan.recalls).toHaveLength(1);
    expect(fitToWindow(asked, own).plan.recalls).toBeUndefined();
  });

  it("adds a step of a tool loop and asks no scorer for it", () => {
    const { history, plan, options } = grow();
    let asked = 0;
    const lexical = lexicalScorer();
    const scorer: typeof lexical = {
      ...lexical,
      score: (...call) => {
        asked += 1;
        return lexical.score(...call);
      },
    };
    const first = [...history, question("q1", "Who repaired the kayak?")];
    const one = fitToWindow(first, { ...options, scorer, previousPlan: plan });
    expect(asked).toBe(1);
    const step = [
      action({ id: "x1", createdAtMs: 1, toolCalls: [{ id: "c", name: "find", arguments: "{}" }] }),
      observation({
        id: "o1",
        createdAtMs: 1,
        callId: "c",
        toolName: "find",
        outcome: "success",
        content: "Ann.",
      }),
    ];
    const two = fitToWindow([...first, ...step], { ...options, scorer, previousPlan: one.plan });
    expect(asked).toBe(1);
    expect(two.plan.recalls).toEqual(one.plan.recalls);
    expect(two.entries).toEqual([...one.entries, ...step]);
  });

  it("drops old blocks before turns once a question finds no room, and this turn's block last", () => {
    let { history, plan } = grow();
    const { options } = grow();
    const counts: number[] = [];
    let made = 0;
    for (let nth = 0; nth < 12; nth++) {
      const asked = question(`q${nth}`, `Who repaired the ${THINGS[nth % 8]}?`);
      history = history.concat(asked);
      const fitted = fitToWindow(history, { ...options, previousPlan: plan });
      plan = fitted.plan;
      counts.push(plan.recalls?.length ?? 0);
      const locations = plan.recalls?.map(({ before }) => before) ?? [];
      if (locations.includes(asked.id)) expect(locations.at(-1)).toBe(asked.id);
      made += locations.includes(asked.id) ? 1 : 0;
      history = history.concat(answer(`r${nth}`, "Ann."));
    }
    expect(made).toBeGreaterThan(8);
    expect(Math.max(...counts)).toBeGreaterThan(1);
    const drops = counts.filter((count, nth) => count < (counts[nth - 1] ?? 0));
    expect(drops.length).toBeGreaterThan(0);
  });

  it("sends every block that it plans, where only a pinned question and a task behind it are left", () => {
    const { history, plan, options } = grow();
    const agent = { id: "w", role: "worker" } as const;
    const asked = question("q", `Who repaired the ${THINGS[0]}? ${"I ask. ".repeat(150)}`);
    const given = task({ id: "t", agent, content: "Look it up. ".repeat(10) });
    const asking = history.concat({ ...asked, pinned: true }, given);
    const fitted = fitToWindow(asking, { ...options, previousPlan: plan });
    const { head, recalls = [] } = fitted.plan;
    expect(recalls).toHaveLength(1);
    const ids = fitted.entries.map(({ id }) => id);
    for (const { id } of [...recalls, ...(head === undefined ? [] : [head])])
      expect(ids).toContain(id);
  });

  it("puts standing wishes at the beginning once it has cut", () => {
    const { plan, history } = askOften([question("w", "From now on call me Captain.")]);
    expect(plan.head?.quotes).toContain("w");
    const kept = fitToWindow(history, { ...askOptions(), previousPlan: plan }).entries;
    expect(kept[1]).toMatchObject({ type: "memory", id: plan.head?.id });
    expect(textOf(kept[1])).toContain("user: From now on call me Captain.\n");
  });

  it("finds wishes in another language where it is told how they read", () => {
    const names = question("n", "Bob Carla Deniz Emil Fatma Gerd Hans Ines Jana Kurt");
    const wish = question("w", "Nenne mich ab jetzt Kapitän.");
    const quotesOf = (standingWishes?: RegExp): readonly string[] => {
      const recall = recallBlocks({ headShare: 0.085, ...(standingWishes && { standingWishes }) });
      return askOften([names, wish], { recall }).plan.head?.quotes ?? [];
    };
    expect(quotesOf()).not.toContain("w");
    expect(quotesOf(/\bab jetzt\b/iu)).toContain("w");
  });

  it("gives the same bytes from a stored plan, and knows what it quotes by content", () => {
    const { history, plan, options } = grow();
    const asked = [...history, question("q1", "Who repaired the kayak?")];
    const fitted = fitToWindow(asked, { ...options, previousPlan: plan });
    const stored: ReductionPlan = JSON.parse(JSON.stringify(fitted.plan));
    expect(JSON.stringify(applyPlan(structuredClone(asked), stored))).toBe(
      JSON.stringify(fitted.entries),
    );
    const edited = asked.map((entry) =>
      entry.id === "u0" ? { ...entry, content: "Bob repaired the kayak." } : entry,
    );
    expect(errorOf(() => applyPlan(edited, stored))?.code).toBe("INVALID_OPTION");
    const again = fitToWindow(edited, { ...askOptions(), previousPlan: stored });
    expect(again.plan.continued?.stoppedBy).toBe("change");
    expect(textOf(again.entries.at(-2))).toContain("Bob repaired the kayak.");
    const moved = asked.map((entry) =>
      entry.id === "u0" ? { ...entry, createdAtMs: 9 * 86_400_000 } : entry,
    );
    expect(errorOf(() => applyPlan(moved, stored))?.code).toBe("INVALID_OPTION");
  });

  it("leaves out what was erased since", () => {
    const { history, plan, options } = grow();
    const asked = [...history, question("q1", "Who repaired the kayak?")];
    const fitted = fitToWindow(asked, { ...options, previousPlan: plan });
    const stored: ReductionPlan = JSON.parse(JSON.stringify(fitted.plan));
    const left = asked.filter(({ id }) => id !== "u0");
    const applied = applyPlan(left, stored);
    expect(applied.map(({ id }) => id)).toEqual(fitted.entries.map(({ id }) => id));
    expect(JSON.stringify(applied)).not.toContain("Ann repaired the kayak.");
    const again = fitToWindow(left, { ...options, previousPlan: stored });
    expect(JSON.stringify(again.entries)).not.toContain("Ann repaired the kayak.");
  });

  it("refuses shares that are none", () => {
    for (const wrong of [{ share: -0.1 }, { share: 1.1 }, { headShare: Number.NaN }]) {
      expect(errorOf(() => recallBlocks(wrong))?.code).toBe("INVALID_OPTION");
    }
    const { history, plan, options } = grow();
    const asked = [...history, question("q1", "Who repaired the kayak?")];
    const none = { ...options, recall: recallBlocks({ share: 0, headShare: 0 }) };
    const fitted = fitToWindow(asked, { ...none, previousPlan: plan });
    expect([fitted.plan.head, fitted.plan.recalls]).toEqual([undefined, undefined]);
  });
});
