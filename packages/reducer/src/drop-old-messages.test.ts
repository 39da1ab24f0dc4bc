import { assistantMessage, userMessage } from "@agent-history/core";
import type { HistoryEntry, RelevanceScorer } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { counter } from "../test-support/character-counter.ts";
import { fitToWindow } from "./fit-to-window.ts";

describe("dropOldMessages with a scorer", () => {
  it("keeps what says most for its length, and a line of the rest of its turn", () => {
    const history = chatOf({ u: 40, a: 400 });
    const { entries, plan } = fitted(history, { u1: 5, u2: 5, u3: 5, u4: 5 });
    const whole = entries.filter((entry) => history.includes(entry));

    expect(entries.map(({ id }) => id)).toEqual(history.map(({ id }) => id));
    expect(whole.map(({ id }) => id)).toEqual(["u1", "u2", "u3", "u4", "q"]);
    expect(entries.find(({ id }) => id === "a1")).toMatchObject({
      content: `${"a".repeat(120)}\n[… 280 characters left out …]`,
    });
    expect(plan.decisions.filter(({ from }) => from.startsWith("a"))).toMatchObject(
      ["a1", "a2", "a3", "a4"].map((from) => ({ from, step: "drop-old-messages" })),
    );
  });

  it("keeps several short messages rather than a long one of the highest score", () => {
    const history = chatOf({ u: 100, a: 400 });
    const { entries } = fitted(history, { a1: 6, u2: 3, u3: 3, u4: 3 });
    const whole = entries.filter((entry) => history.includes(entry));

    expect(whole.map(({ id }) => id)).toEqual(expect.arrayContaining(["u2", "u3", "u4"]));
    expect(whole.map(({ id }) => id)).not.toContain("a1");
  });

  it("keeps an answer whole that is worth its length, and a line of its request", () => {
    const history = chatOf({ u: 500, a: 200 });
    const { entries } = fitted(history, { a2: 9 });

    expect(entries).toContain(history[3]);
    expect(entries.find(({ id }) => id === "u2")).toMatchObject({
      content: expect.stringContaining("characters left out"),
    });
  });

  it("counts all that stays, and of the long rest little", () => {
    const history = Array.from({ length: 200 }, (_, nth) => [
      userMessage({ id: `u${nth}`, content: "u".repeat(nth % 5 === 0 ? 700 : 100) }),
      assistantMessage({ id: `a${nth}`, content: "ab".repeat(nth % 7 === 0 ? 20 : 900) }),
    ]).flat();
    const scorer: RelevanceScorer = {
      name: "users",
      score: (_, entries) => entries.map(({ type }) => (type === "user_message" ? 2 : 1)),
    };
    let counted = 0;
    // Not in proportion to their length, so that guesses are wrong.
    const countEntry: typeof counter.countEntry = (entry) => {
      const tokens = counter.countEntry(entry) * (/^a.*5$/u.test(entry.id) ? 2 : 1);
      counted += tokens;
      return tokens;
    };
    for (const contextTokens of [6000, 24_000, 400_000]) {
      counted = 0;
      const options = { window: { contextTokens }, counter: { ...counter, countEntry }, scorer };
      const { entries, plan } = fitToWindow(history, options);
      expect(counted).toBeLessThanOrEqual(10 * contextTokens);
      expect(entries.reduce((sum, entry) => sum + countEntry(entry), 0)).toBe(plan.totalTokens);
      expect(plan.totalTokens).toBeLessThanOrEqual(contextTokens);
    }
  });

  it("gives back what fits, whatever a short message makes it guess of a long one", () => {
    const scorer: RelevanceScorer = { name: "same", score: (_, entries) => entries.map(() => 1) };
    const countEntry: typeof counter.countEntry = (entry) => 20 + counter.countEntry(entry);
    const history = [
      userMessage({ id: "u", content: "u".repeat(600) }),
      assistantMessage({ id: "a", content: "a" }),
      userMessage({ id: "q", content: "q".repeat(100) }),
    ];
    const options = { counter: { ...counter, countEntry }, scorer, window: { contextTokens: 800 } };
    expect(fitToWindow(history, options).entries).toBe(history);
  });

  it("keeps the newest earlier turn though it says nothing, and says why others go", () => {
    const history = chatOf({ u: 50, a: 150 });
    const { entries, plan } = fitted(history, { u1: 3, a1: 3, u2: 3, a2: 3 }, 500);

    expect(entries.map(({ id }) => id)).toEqual(["u2", "a2", "u4", "a4", "q"]);
    expect(plan.decisions.at(0)).toMatchObject({
      action: { kind: "drop" },
      reason: "an earlier turn, with less relevance for its length",
    });
  });

  it("drops the turns that say least for their length, whole", () => {
    const history = chatOf({ u: 200, a: 200 });
    const { entries } = fitted(history, { u1: 3, a1: 3, u3: 3, a3: 3 }, 1250);

    expect(entries).toEqual([...history.slice(0, 2), ...history.slice(4)]);
  });
});

/** Four turns of such lengths and a question, in characters, which are tokens. */
function chatOf({ u, a }: { readonly u: number; readonly a: number }): readonly HistoryEntry[] {
  const turns = [1, 2, 3, 4].flatMap((nth) => [
    userMessage({ id: `u${nth}`, content: "u".repeat(u) }),
    assistantMessage({ id: `a${nth}`, content: "a".repeat(a) }),
  ]);
  return [...turns, userMessage({ id: "q", content: "q".repeat(20) })];
}

function fitted(
  history: readonly HistoryEntry[],
  scores: Readonly<Record<string, number>>,
  contextTokens = 850,
): ReturnType<typeof fitToWindow> {
  const scorer: RelevanceScorer = {
    name: "given",
    score: (_, entries) => entries.map(({ id }) => scores[id] ?? 1),
  };
  return fitToWindow(history, { window: { contextTokens }, counter, scorer });
}
