import { assistantMessage, userMessage } from "@agent-history/core";
import type { HistoryEntry, ReductionPlan, TokenCounter } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { counter } from "../../test-support/character-counter.ts";
import { watchedHistory } from "../../test-support/watched-history.ts";
import { fitToWindow } from "../fit-to-window.ts";
import { lexicalScorer } from "../lexical/index.ts";
import { recallBlocks } from "./recall-blocks.ts";

describe("the work of a fit that quotes", () => {
  it("looks at all of a history for a question, and for a step of its tool loop only at what is shown (L13)", () => {
    const steps = [500, 5000].map((turns) => {
      const history = watchedHistory(turns);
      const scorer = {
        name: "oldest",
        recall: recallBlocks(),
        score: (_: string, entries: readonly HistoryEntry[]) =>
          entries.map((__, nth) => 1 - nth / 100_000),
      };
      const sized: TokenCounter = {
        ...history.counter,
        countEntry: (entry) =>
          history.counter.countEntry(entry) +
          (entry.type === "memory" ? counter.countEntry(entry) : 0),
      };
      const options = { window: { contextTokens: 2000 }, counter: sized, scorer };
      let { plan } = fitToWindow(history.entries, { ...options, recall: "off" });

      history.entries.push(userMessage({ id: "q", content: "q?" }));
      ({ plan } = fitToWindow([...history.entries], { ...options, previousPlan: plan }));
      expect(plan.recalls?.[0]?.quotes.length).toBeGreaterThan(0);
      history.takeWork();
      history.addTurn({ goesOn: true });
      fitToWindow([...history.entries], { ...options, previousPlan: plan });
      return history.takeWork();
    });
    expect(steps[1]).toEqual(steps[0]);
  });

  it("tokenizes a few windows of text for a question, however much there is to choose from (L13)", () => {
    for (const turns of [100, 2000]) {
      const log = Array.from({ length: turns }, (_, nth) => [
        userMessage({ id: `u${nth}`, content: `kayak ${nth} ${"river ".repeat(90)}` }),
        assistantMessage({ id: `a${nth}`, content: "Yes." }),
      ]).flat();
      let counted = 0;
      const counting = {
        ...counter,
        countEntry: (entry: HistoryEntry) => {
          counted += counter.countEntry(entry);
          return counter.countEntry(entry);
        },
      };
      const options = {
        window: { contextTokens: 4000 },
        counter: counting,
        scorer: lexicalScorer(),
      };
      const { plan } = fitToWindow(log, { ...options, recall: "off" });
      const stored: ReductionPlan = JSON.parse(JSON.stringify(plan));
      counted = 0;
      const asked = [...log, userMessage({ id: "q", content: "Where did the kayak go?" })];
      const fitted = fitToWindow(asked, { ...options, previousPlan: stored });
      expect(fitted.plan.recalls ?? fitted.plan.head).toBeDefined();
      expect(counted).toBeLessThan(8 * 4000);
    }
  });

  it("indexes a view once, whatever other views begin with the same entry", () => {
    const shared = userMessage({ id: "u", content: "Go." });
    let texts = 0;
    const watched = (id: string): HistoryEntry =>
      Object.defineProperty(assistantMessage({ id, content: "kayak" }), "content", {
        get: () => {
          texts += 1;
          return "kayak";
        },
        enumerable: true,
      });
    const views = ["a", "b"].map((name) => [
      shared,
      ...Array.from({ length: 50 }, (_, nth) => watched(`${name}${nth}`)),
    ]);
    const scorer = lexicalScorer();
    for (const view of views) scorer.score("kayak?", view);
    const first = texts;
    for (const view of views) scorer.score("kayak?", [...view, watched("more")]);
    expect(texts - first).toBeLessThan(first / 10);
  });
});
