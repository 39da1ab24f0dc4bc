import { assistantMessage, final, task, userMessage } from "@agent-history/core";
import type { HistoryEntry, RelevanceScorer } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { counter } from "../test-support/character-counter.ts";
import { fitToWindow } from "./fit-to-window.ts";

const window = { contextTokens: 1000 };

/** Eight turns of forty tokens, whose answers may be longer, and a question. */
function chatOf(lengths: Readonly<Record<number, number>>): readonly HistoryEntry[] {
  return [1, 2, 3, 4, 5, 6, 7, 8, 9].flatMap((nth): readonly HistoryEntry[] => {
    const asked = userMessage({ id: `u${nth}`, content: "q".repeat(20) });
    const content = "a".repeat(lengths[nth] ?? 20);
    return nth === 9 ? [asked] : [asked, assistantMessage({ id: `a${nth}`, content })];
  });
}

describe("shortenOldMessages", () => {
  it("shortens a long old answer, so that the turns before it stay", () => {
    const history = chatOf({ 6: 2000 });
    const { entries, plan } = fitToWindow(history, { window, counter });

    expect(entries.map(({ id }) => id)).toEqual(history.map(({ id }) => id));
    expect(plan.decisions.filter(({ action }) => action.kind !== "keep")).toMatchObject([
      { from: "a6", to: "a6", action: { kind: "edit" }, step: "shorten-old-messages" },
    ]);
  });

  it("shortens to twice its share, or four times, where that is enough: not otherwise at every call", () => {
    const sizes = [720, 760, 800].map((length) => {
      const { entries } = fitToWindow(chatOf({ 6: length }), { window, counter });
      return entries.flatMap((entry) => (entry.id === "a6" ? counter.countEntry(entry) : []));
    });

    expect(sizes).toEqual([[395], [395], [395]]);
  });

  it("leaves what is no longer than its share as it is, and drops the oldest turn", () => {
    const lengths = { 1: 190, 2: 190, 3: 190, 4: 190, 5: 190, 6: 190, 7: 190, 8: 190 };
    const history = chatOf(lengths);
    const { entries, plan } = fitToWindow(history, { window, counter, firstRequestShare: 0 });

    expect(entries.length).toBeLessThan(history.length);
    // But for the turn at the edge, which has what room is left.
    const edited = plan.decisions.filter(({ action }) => action.kind === "edit");
    expect(edited).toMatchObject([{ from: entries[1]?.id, step: "shorten-edge" }]);
  });

  it("shortens the oldest first, with a scorer only what is longer than the budget", () => {
    const scorer: RelevanceScorer = { name: "even", score: (_, entries) => entries.map(() => 1) };
    const shortened = (lengths: Record<number, number>, more: object = {}): readonly string[] => {
      const { decisions } = fitToWindow(chatOf(lengths), { window, counter, ...more }).plan;
      return decisions.flatMap(({ step, from }) => (step === "shorten-old-messages" ? from : []));
    };

    expect(shortened({ 2: 500, 6: 500 })).toEqual(["a2"]);
    expect(shortened({ 2: 400, 6: 1200 }, { scorer })).toEqual(["a6"]);
    expect(shortened({ 2: 400, 6: 700 }, { scorer })).toEqual([]);
  });

  it("changes nothing in a second fit", () => {
    const { entries } = fitToWindow(chatOf({ 3: 900, 6: 2000 }), { window, counter });

    expect(fitToWindow(entries, { window, counter }).entries).toBe(entries);
  });
});

describe("dropThisTurn", () => {
  it("shortens a long report of this turn, so that others stay", () => {
    const manager = { id: "m1", role: "manager" } as const;
    const worker = { id: "w1", role: "worker" } as const;
    const history = [
      task({ id: "t1", agent: manager, content: "Find out." }),
      ...[40, 3000, 40].map((length, nth) =>
        final({ id: `f${nth}`, agent: worker, content: "r".repeat(length) }),
      ),
    ];
    const viewer = { agentId: manager.id };
    const { entries } = fitToWindow(history, { window, counter, viewer });

    expect(entries.map(({ id }) => id)).toEqual(["t1", "f0", "f1", "f2"]);
    expect(entries[1]).toBe(history[1]);
  });
});
