import { action } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { counter } from "../../test-support/character-counter.ts";
import { grow, question, said } from "../../test-support/growing-chat.ts";
import { applyPlan } from "../apply-plan.ts";
import { fitToWindow } from "../fit-to-window.ts";

describe("recallBlocks, where the history changes", () => {
  it("stays within the window where what it quotes was made longer", () => {
    const { history, plan, options } = grow();
    const asked = history.concat(question("q", "Who repaired the boat?"));
    const first = fitToWindow(asked, { ...options, previousPlan: plan });
    const [quoted] = first.plan.recalls?.[0]?.quotes ?? [];
    const longer = asked.map((entry) =>
      entry.id === quoted ? said(entry.id, `The boat. ${"It is old. ".repeat(150)}`, 1) : entry,
    );
    const second = fitToWindow(longer, { ...options, previousPlan: first.plan });
    const sent = second.entries.reduce((sum, entry) => sum + counter.countEntry(entry), 0);
    expect(sent).toBe(second.plan.totalTokens);
    expect(sent).toBeLessThanOrEqual(2000);
  });

  it("drops a block whose question was moved to where it is not shown", () => {
    const { history, plan, options } = grow();
    const asked = question("q", "Who repaired the boat?");
    const first = fitToWindow(history.concat(asked), { ...options, previousPlan: plan });
    expect(first.plan.recalls).toHaveLength(1);
    const moved = history.toSpliced(3, 0, asked);
    const second = fitToWindow(moved, { ...options, previousPlan: first.plan });
    const ids = second.entries.map(({ id }) => id);
    for (const { id } of second.plan.recalls ?? []) expect(ids).toContain(id);
    const sent = second.entries.reduce((sum, entry) => sum + counter.countEntry(entry), 0);
    expect(sent).toBe(second.plan.totalTokens);
  });

  it("quotes what is there twice once", () => {
    const { history, plan, options } = grow();
    const copies = history.flatMap((entry) =>
      entry.id.startsWith("u") ? [entry, { ...entry }] : [],
    );
    const given = [...history.slice(0, 3), ...copies, ...history.slice(3)];
    const asked = given.concat(question("q", "Who repaired the boat?"));
    const { recalls = [] } = fitToWindow(asked, { ...options, previousPlan: plan }).plan;
    const quotes = recalls.flatMap((recall) => recall.quotes);
    expect(new Set(quotes).size).toBe(quotes.length);
  });

  it("notices where entries that it quotes changed places", () => {
    const { history, plan, options } = grow();
    const asked = history.concat(question("q", "Who repaired the boat?"));
    const first = fitToWindow(asked, { ...options, previousPlan: plan });
    const [one = "", other = ""] = first.plan.recalls?.[0]?.quotes ?? [];
    const indexOf = (id: string): number => asked.findIndex((entry) => entry.id === id);
    const swapped = asked.map((entry) => {
      if (entry.id === one) return asked[indexOf(other)] ?? entry;
      return entry.id === other ? (asked[indexOf(one)] ?? entry) : entry;
    });
    const second = fitToWindow(swapped, { ...options, previousPlan: first.plan });
    expect(second.plan.recalls?.[0]?.quotes.slice(0, 2)).toEqual([other, one]);
    expect(second.plan.continued).toEqual({
      entryCount: asked.length - 1,
      stoppedBy: "change",
    });
  });

  it("says that the prompt changed where this turn's block is chosen again in less room", () => {
    const { history, plan, options } = grow();
    const asked = question("q", "Who repaired the kayak? ".repeat(26));
    const first = fitToWindow(history.concat(asked), { ...options, previousPlan: plan });
    expect(first.plan.recalls).toHaveLength(1);
    const toolCalls = [{ id: "c", name: "find", arguments: "{}" }];
    const step = action({ id: "x", createdAtMs: 1, content: "I look. ".repeat(120), toolCalls });
    const given = history.concat(asked, step);
    const second = fitToWindow(given, { ...options, previousPlan: first.plan });
    expect(second.plan.recalls).not.toEqual(first.plan.recalls);
    expect(second.plan.continued?.stoppedBy).toBe("cut");
    expect(second.plan.continued?.entryCount).toBeLessThanOrEqual(given.indexOf(asked));
  });

  it("gives the same bytes here as after a restart where a question has another time now", () => {
    const { history, plan, options } = grow();
    const asked = question("q", "Who repaired the boat?");
    const first = fitToWindow(history.concat(asked), { ...options, previousPlan: plan });
    const later = history.concat({ ...asked, createdAtMs: asked.createdAtMs + 1 });
    const stored: typeof plan = JSON.parse(JSON.stringify(first.plan));
    expect(applyPlan(later, first.plan)).toEqual(applyPlan(later, stored));
    const second = fitToWindow(later, { ...options, previousPlan: first.plan });
    const restarted = fitToWindow(later, { ...options, previousPlan: stored });
    expect(second.entries).toEqual(restarted.entries);
  });
});
