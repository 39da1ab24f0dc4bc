import type { HistoryEntry } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { judgeFit } from "./judge-fit.ts";
import type { JudgedFit } from "./trial.ts";

const time = { createdAtMs: 0 };
const text = (
  type: "system_message" | "user_message" | "assistant_message" | "memory",
  id: string,
  more: object = {},
): HistoryEntry => ({
  ...time,
  ...more,
  id,
  type,
  content: id,
});
const system = text("system_message", "s");
const [u1, u2, u3] = ["u1", "u2", "u3"].map((id) => text("user_message", id));
const [a1, a2] = ["a1", "a2"].map((id) => text("assistant_message", id));
const calls = ["x1", "x2"].map((id): HistoryEntry => ({
  ...time,
  id,
  type: "action",
  toolCalls: [{ id: "call", name: "look", arguments: "{}" }],
}));
const results = ["r1", "r2"].map((id): HistoryEntry => ({
  ...time,
  id,
  type: "observation",
  callId: "call",
  toolName: "look",
  outcome: "success",
  content: id,
}));
const [x1, x2] = calls;
const [r1, r2] = results;
/** Two turns with an exchange each, and a question. */
const whole = [system, u1, x1, r1, a1, u2, x2, r2, a2, u3].flatMap((entry) => entry ?? []);

describe("judgeFit", () => {
  it("finds nothing wrong with the whole, nor with whole turns of it", () => {
    expect(breaches(whole)).toEqual([]);
    expect(breaches(["s", "u2", "x2", "r2", "a2", "u3"])).toEqual([]);
    expect(breaches(["s", "u2", "a2", "u3"])).toEqual([]);
    expect(breaches(["s", "u3"])).toEqual([]);
  });

  it.each([
    ["L1 orphan result", ["s", "u2", "r2", "a2", "u3"]],
    ["L1 unanswered call", ["s", "u2", "x2", "a2", "u3"]],
    ["L1 scattered results", ["s", "u2", "x2", "a2", "r2", "u3"]],
    ["L2 order changed", ["s", "u3", "u2", "a2"]],
    ["L2 instruction lost", ["u3"]],
    ["L3 question lost", ["s", "u2", "a2"]],
    ["L15 question without answer", ["s", "u2", "u3"]],
    ["L15 answer without question", ["s", "a2", "u3"]],
    ["L15 trace without question", ["s", "x2", "r2", "u3"]],
    ["L15 begins with no user", ["s", "a2", "u3"]],
    ["L15 user twice in a row", ["s", "u2", "u3"]],
    ["L16 newest lost", ["s", "u2", "a2"]],
    ["L16 empty prompt", []],
  ])("finds %s", (rule, ids) => {
    expect(breaches(ids)).toContain(rule);
  });

  it("finds a hole between turns, unless it is behind the first request where that stays", () => {
    const chat = whole.filter(({ type }) => type !== "action" && type !== "observation");

    expect(breaches(["s", "u1", "a1", "u3"], chat)).toEqual(["L15 hole between turns"]);
    expect(breaches(["s", "u1", "a1", "u3"], whole, 100, true)).toEqual([]);
  });

  it("takes a pinned answer for itself, and a memory for no turn", () => {
    const pinned = whole.map((entry) => (entry.id === "a2" ? { ...entry, pinned: true } : entry));
    const remembered = [...whole.slice(0, 9), text("memory", "m"), ...whole.slice(9)];

    expect(breaches(["s", "u1", "a1", "a2", "u3"], pinned)).not.toContain(
      "L15 answer without question",
    );
    expect(breaches(["s", "m", "u3"], remembered)).toEqual([]);
  });

  it("counts for itself: one token over the window, and a plan whose figures do not add up", () => {
    expect(breaches(whole, whole, 9)).toEqual(["L4 over the window"]);
    expect(breaches(whole, whole, 10)).toEqual([]);
    const plan = planOf(whole, whole.length, { totalTokens: 9 });
    const fit = { given: whole, fitted: whole, plan, window: { contextTokens: 10 } };
    const rules = judgeFit({ ...fit, ...counting }).map(({ rule }) => rule);
    expect(rules).toEqual(["total is not what was sent", "decisions do not add up"]);
  });
});

const counting = { countEntry: () => 1, requestTokens: 0, isInOrder: true };

function breaches(
  kept: readonly HistoryEntry[] | readonly string[],
  given: readonly HistoryEntry[] = whole,
  contextTokens = 100,
  keepsFirst = false,
): readonly string[] {
  const fitted = kept.flatMap((one) =>
    typeof one === "string" ? given.filter(({ id }) => id === one) : [one],
  );
  const plan = planOf(fitted, given.length);
  const fit = { given, fitted, plan, window: { contextTokens }, keepsFirst };
  const found = judgeFit({ ...fit, ...counting });
  return found.map(({ law, rule }) => `${law} ${rule}`);
}

function planOf(
  fitted: readonly HistoryEntry[],
  entryCount: number,
  more: { readonly totalTokens?: number } = {},
): JudgedFit["plan"] {
  const tokens = fitted.length;
  const keep = { kind: "keep" } as const;
  const decision = { from: "", to: "", entryCount, action: keep, step: "", reason: "" };
  return {
    repairs: [],
    decisions: [{ ...decision, tokensBefore: tokens, tokensAfter: tokens }],
    requestTokens: 0,
    totalTokens: tokens,
    ...more,
  };
}
