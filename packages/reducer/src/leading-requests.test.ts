import {
  action,
  assistantMessage,
  errorEntry,
  final,
  memory,
  observation,
  systemMessage,
  task,
  userMessage,
} from "@agent-history/core";
import type { Agent, HistoryEntry, RelevanceScorer } from "@agent-history/core";
import { checkHistory } from "@agent-history/core/check";
import { describe, expect, it } from "vitest";

import { counter, errorOf } from "../test-support/character-counter.ts";
import { fitToWindow } from "./fit-to-window.ts";

const user = (id: string, length: number): HistoryEntry =>
  userMessage({ id, content: "q".repeat(length) });
const answer = (id: string, length: number): HistoryEntry =>
  assistantMessage({ id, content: "a".repeat(length) });
const call = (id: string, fields: { readonly pinned?: true; readonly agent?: Agent } = {}) =>
  action({ id, toolCalls: [{ id, name: "t", arguments: "{}" }], content: "c", ...fields });
const result = (id: string, length: number, agent?: Agent): HistoryEntry =>
  observation({
    id: `r-${id}`,
    callId: id,
    toolName: "t",
    outcome: "success",
    content: "r".repeat(length),
    ...(agent && { agent }),
  });

describe("fitToWindow, where a request leads to what stays", () => {
  it("keeps a request without its answer before what is pinned in its turn, and refuses nothing that fits", () => {
    const pinned = [call("x", { pinned: true }), result("x", 10)];
    const entries = [
      user("u1", 10),
      ...pinned,
      answer("a1", 200),
      user("u2", 30),
      answer("a2", 30),
    ];
    const asked = [...entries, user("u3", 10)];
    const options = { window: { contextTokens: 40 }, counter };
    const fitted = fitToWindow(asked, options);
    expect(fitted.entries.map(({ id }) => id)).toEqual(["u1", "x", "r-x", "u3"]);
    expect(checkHistory(fitted.entries, { before: asked })).toEqual([]);
    const again = fitToWindow(asked, { ...options, previousPlan: fitted.plan, recheck: true });
    expect(again.plan.continued).toEqual({ entryCount: asked.length });
  });

  it("ends with the memory that ended the history, and drops the answer before it", () => {
    const fact = memory({ id: "m", content: "m".repeat(27) });
    const told = [answer("a", 4), fact, systemMessage({ id: "s", content: "s".repeat(4) })];
    const fitted = fitToWindow(told, { window: { contextTokens: 32 }, counter });
    expect(fitted.entries.map(({ id }) => id)).toEqual(["m", "s"]);
    const narrow = (): unknown => fitToWindow(told, { window: { contextTokens: 30 }, counter });
    expect(errorOf(narrow)).toMatchObject({ code: "WINDOW_TOO_SMALL" });
  });

  it("drops the answer to a request that leads to a pin before what parts the question from the newest entry", () => {
    const [boss, manager]: readonly [Agent, Agent] = [
      { id: "o", role: "orchestrator" },
      { id: "m", role: "manager" },
    ];
    const given = task({ id: "t1", agent: manager, from: boss, content: "t".repeat(20) });
    const whole = { type: "opaque", data: "a".repeat(200) } as const;
    const entries = [
      user("u1", 10),
      { ...given, pinned: true },
      assistantMessage({ id: "a1", agent: boss, content: [whole] }),
      user("u2", 30),
      task({ id: "t2", agent: manager, from: boss, content: "t".repeat(20) }),
      task({ id: "t3", agent: { id: "w", role: "worker" }, from: manager, content: "t" }),
    ];
    const total = entries.reduce((sum, entry) => sum + counter.countEntry(entry), 0);
    for (const contextTokens of [total - 1, total - 20, 81]) {
      const options = { counter, viewer: { agentId: "o" }, window: { contextTokens } };
      const ids = fitToWindow(entries, options).entries.map(({ id }) => id);
      expect(ids).toEqual(["u1", "t1", "u2", "t2", "t3"]);
    }
  });

  it("keeps no earlier task of an agent beside the user's request that leads to its pin", () => {
    const agent = { id: "w", role: "worker" } as const;
    const turnId = "t1";
    const log = [
      userMessage({ id: "u", turnId, content: "q" }),
      assistantMessage({ id: "plan", turnId, content: "p".repeat(300) }),
      task({ id: "task1", turnId, agent, content: "t" }),
      final({ id: "f1", turnId, agent, content: "f", pinned: true }),
      task({ id: "task2", turnId, agent, content: "t" }),
      final({ id: "f2", turnId, agent, content: "f".repeat(10) }),
      userMessage({ id: "u2", turnId: "t2", content: "q" }),
    ];
    const options = { counter, viewer: { agentId: "w" }, window: { contextTokens: 60 } };
    const { entries } = fitToWindow(log, options);
    expect(entries.map(({ id }) => id)).toEqual(["u", "f1", "task2", "f2", "u2"]);
  });

  it("leaves a pinned part of a request without the others, where it is asked to look again", () => {
    const pinned: HistoryEntry = { ...user("u2", 4), pinned: true };
    const work = [call("x"), result("x", 40)];
    const asked = [user("u1", 4), pinned, ...work, user("u3", 10), answer("a3", 10), user("u4", 5)];
    const options = { window: { contextTokens: 32 }, counter };
    const fitted = fitToWindow(asked, options);
    expect(fitted.entries.map(({ id }) => id)).toEqual(["u2", "u3", "a3", "u4"]);
    const again = fitToWindow(asked, { ...options, previousPlan: fitted.plan, recheck: true });
    expect(again.plan.continued).toEqual({ entryCount: asked.length });
  });

  it("keeps a task that leads to a pin though users ask, and refuses a window without room for it", () => {
    const agent = { id: "w", role: "worker" } as const;
    const pinned = final({ id: "f", agent, content: "f".repeat(50), pinned: true });
    const told = task({ id: "t", agent, content: "t".repeat(40) });
    const asked = [told, pinned, user("u1", 10)];
    const options = { counter, viewer: { agentId: "w" } };
    const { entries } = fitToWindow([...asked.slice(0, 2), user("u0", 90), ...asked.slice(2)], {
      ...options,
      window: { contextTokens: 100 },
    });
    expect(entries).toEqual(asked);
    const refused = errorOf(() =>
      fitToWindow(asked, { ...options, window: { contextTokens: 60 } }),
    );
    expect(refused?.code).toBe("WINDOW_TOO_SMALL");
  });

  it("takes no exchange for a running one whose agent reported in what was dropped", () => {
    const [lead, hand] = [
      { id: "m", role: "manager" },
      { id: "w", role: "worker" },
    ] as const;
    const before = [
      task({ id: "t1", agent: lead, content: "q".repeat(10) }),
      call("x", { agent: hand }),
      result("x", 40, hand),
      final({ id: "f", agent: hand, content: "f".repeat(30) }),
      assistantMessage({ id: "a1", agent: lead, content: "a".repeat(10) }),
      task({ id: "t2", agent: lead, content: "q".repeat(10) }),
    ];
    const options = { window: { contextTokens: 75 }, counter, viewer: { agentId: "m" } };
    const { plan } = fitToWindow(before, options);
    const after = [...before, call("y", { agent: lead }), result("y", 40, lead)];
    const cut = fitToWindow(after, { ...options, previousPlan: plan });
    expect(cut.plan.decisions.filter(({ reason }) => reason === "running exchange")).toMatchObject([
      { from: "y" },
    ]);
  });

  it("reads requests anew between which all that was dropped is gone", () => {
    const rule = systemMessage({ id: "s", content: "s" });
    const before = [user("u1", 30), rule, answer("a1", 30), user("u2", 20), answer("a2", 20)];
    const options = { window: { contextTokens: 80 }, counter };
    const { plan } = fitToWindow([...before, user("u3", 20)], options);
    const left = [...before.toSpliced(2, 1), user("u3", 20)];
    const fitted = fitToWindow(left, { ...options, previousPlan: plan });
    expect(checkHistory(fitted.entries, { before: left })).toEqual([]);
  });

  it("gives a dropped answer whose request is gone to the turn before", () => {
    const fact = memory({ id: "m", content: "f".repeat(5) });
    const asked = [user("u2", 60), fact, answer("a2", 30), user("u3", 10)];
    const before = [user("u1", 10), answer("a1", 10), ...asked];
    const scorer: RelevanceScorer = {
      name: "first turn",
      score: (_, entries) => entries.map(({ id }) => (id.endsWith("1") ? 1 : 0)),
    };
    const options = { window: { contextTokens: 40 }, counter, scorer };
    const { plan, entries } = fitToWindow(before, options);
    expect(entries.map(({ id }) => id)).toEqual(["u1", "a1", "m", "u3"]);
    const left = before.filter(({ id }) => id !== "u2");
    const fitted = fitToWindow(left, { ...options, previousPlan: plan });
    expect(checkHistory(fitted.entries, { before: left })).toEqual([]);
  });

  it("holds the opening to its share, and gives it what no turn behind it can use", () => {
    const opening = [user("u0", 150), call("x"), result("x", 50), answer("a0", 20)];
    const openingOf = (turns: readonly HistoryEntry[], asked: number): number => {
      const entries = [...opening, ...turns, user("q", asked), call("y"), result("y", 40)];
      const fitted = fitToWindow(entries, { window: { contextTokens: 1000 }, counter }).entries;
      const kept = fitted.filter(({ id }) => id === "u0" || id === "a0");
      return kept.reduce((sum, entry) => sum + counter.countEntry(entry), 0);
    };
    const turnsOf = (length: number): readonly HistoryEntry[] =>
      Array.from({ length: 20 }, (_, nth) => [
        user(`u${nth}-`, 20),
        answer(`a${nth}-`, length),
      ]).flat();
    expect(openingOf(turnsOf(900), 300)).toBe(170);
    expect(openingOf(turnsOf(30), 300)).toBeLessThanOrEqual(150);
  });

  it("keeps its plan where it is asked to look again and nothing has changed", () => {
    const entries = [user("u", 8), answer("a1", 30), answer("a2", 52)];
    const options = { window: { contextTokens: 65 }, counter, recheck: true };
    const { plan, entries: before } = fitToWindow(entries, options);
    const after = fitToWindow([...entries, answer("a3", 5)], { ...options, previousPlan: plan });
    expect(before.map(({ id }) => id)).not.toContain("a1");
    expect(after.entries.slice(0, before.length)).toEqual(before);
  });

  it("takes a late result for the newest entry where only a copy of an older one follows it", () => {
    const failed = errorEntry({ id: "e", content: "e".repeat(20) });
    const entries = [user("u", 20), call("x"), call("y"), result("y", 20), failed];
    const given = [...entries, result("x", 20), failed];
    const { entries: fitted } = fitToWindow(given, { window: { contextTokens: 70 }, counter });
    expect(fitted.map(({ id }) => id)).toContain("r-x");
  });
});
