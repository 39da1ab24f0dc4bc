import {
  action,
  assistantMessage,
  memory,
  observation,
  systemMessage,
  userMessage,
} from "@agent-history/core";
import type { HistoryEntry, PlannedRecall, ReductionPlan } from "@agent-history/core";
import { fitToWindow } from "@agent-history/reducer";
import { describe, expect, it } from "vitest";

import { judgeFit } from "./judge-fit.ts";
import type { JudgedFit } from "./judge-fit.ts";
import { judgePrefix } from "./judge-prefix.ts";
import { judgeRefusal } from "./judge-refusal.ts";

const time = { createdAtMs: 0 };
const said = (id: string): { id: string; createdAtMs: number; content: string } => {
  return { ...time, id, content: id };
};
const exchange = (nth: number): readonly HistoryEntry[] => [
  action({ ...time, id: `x${nth}`, toolCalls: [{ id: "call", name: "look", arguments: "{}" }] }),
  observation({ ...said(`r${nth}`), callId: "call", toolName: "look", outcome: "success" }),
];
const turn = (nth: number): readonly HistoryEntry[] => [
  userMessage(said(`u${nth}`)),
  ...exchange(nth),
  assistantMessage(said(`a${nth}`)),
];
/** Two turns with an exchange each, and a question. */
const whole = [systemMessage(said("s")), ...turn(1), ...turn(2), userMessage(said("u3"))];
const chat = whole.filter(({ type }) => type !== "action" && type !== "observation");
const counter = { id: "one", countText: () => 1, countEntry: () => 1, countRequest: () => 0 };

describe("judgeFit", () => {
  it("finds nothing wrong with the whole, nor with whole turns of it", () => {
    expect(rules(whole)).toEqual([]);
    expect(rules(["s", "u2", "x2", "r2", "a2", "u3"])).toEqual([]);
    expect(rules(["s", "u2", "a2", "u3"])).toEqual([]);
    expect(rules(["s", "u3"])).toEqual([]);
  });

  it.each([
    ["L1 orphan-result", ["s", "u2", "r2", "a2", "u3"]],
    ["L1 unanswered-call", ["s", "u2", "x2", "a2", "u3"]],
    ["L1 scattered-exchange", ["s", "u2", "x2", "a2", "r2", "u3"]],
    ["L2 order-changed", ["s", "u3", "u2", "a2"]],
    ["L2 system-message-lost", ["u3"]],
    ["L3 question-lost", ["s", "u2", "a2"]],
    ["L15 request-without-answer", ["s", "u2", "u3"]],
    ["L15 answer-without-request", ["s", "a2", "u3"]],
    ["L15 part of a turn lost", ["s", "a2", "u3"]],
    ["L15 trace without question", ["s", "x2", "r2", "u3"]],
    ["L15 begins-with-answer", ["s", "a2", "u3"]],
    ["L15 role-repeated", ["s", "u2", "u3"]],
    ["L16 newest-lost", ["s", "u2", "a2"]],
    ["provider openai-chat: unanswered-call", ["s", "u2", "x2", "a2", "u3"]],
  ])("finds %s", (rule, ids) => {
    expect(rules(ids)).toContain(rule);
  });

  it("finds a hole between turns, unless it is behind the first request where that stays", () => {
    const kept = ["s", "u1", "a1", "u3"];
    expect(rules(kept, { given: chat })).toEqual(["L15 hole between turns"]);
    expect(rules(kept, { given: whole, keepsFirst: true })).toEqual([]);
  });

  it("takes a pinned answer for itself, finds a lost pin, and takes a memory for no turn", () => {
    const pinned = whole.map((one) => (one.id === "a2" ? { ...one, pinned: true } : one));
    const remembered = whole.toSpliced(9, 0, memory(said("m")));

    const beside = rules(["s", "u1", "a1", "a2", "u3"], { given: pinned });
    expect(beside).toEqual(["L15 hole between turns"]);
    expect(rules(["s", "u3"], { given: pinned })).toEqual(["L2 pin lost"]);
    expect(rules(["s", "m", "u3"], { given: remembered })).toEqual([]);
  });

  it("misses an answer beside a pinned result only where there is room for it", () => {
    const pinned = whole.map((one) => (one.id === "r1" ? { ...one, pinned: true } : one));
    const kept = ["s", "u1", "x1", "r1", "u3"];

    expect(rules(kept, { given: pinned })).toContain("L15 part of a turn lost");
    expect(rules(kept, { given: pinned, budget: 5 })).not.toContain("L15 part of a turn lost");
  });

  it("adds up: one token over the window, and a plan whose figures do not", () => {
    expect(rules(whole, { budget: 9 })).toEqual(["L4 over the window"]);
    expect(rules(whole, { budget: 10 })).toEqual([]);
    const plan = { ...planOf(whole, whole), totalTokens: 9 };
    expect(rules(whole, { plan })).toEqual([
      "L9 total is not what was sent",
      "L9 decisions do not add up",
    ]);
    expect(rules(whole, { plan: planOf(whole, chat) })).toEqual([
      "L9 entries without one decision",
    ]);
  });

  it("finds a block that stands elsewhere, and one that quotes other words or an entry twice", () => {
    const block = memory({ ...said("b"), content: "user: u1" });
    const recall = { id: "b", before: "u3", quotes: ["u1"], tokens: 1, format: "quoted" };
    const fitted = whole.toSpliced(-1, 0, block);
    const quoted = (more: object, at = fitted): readonly string[] =>
      rules(at, { plan: planOf(at, whole, [{ ...recall, ...more }]) });

    expect(quoted({})).toEqual([]);
    expect(quoted({ before: "u2" })).toEqual(["L9 a block stands elsewhere"]);
    expect(quoted({}, [block, ...whole])).toEqual(["L9 a block stands elsewhere"]);
    expect(quoted({ quotes: ["u2"] })).toEqual(["L9 a block quotes otherwise"]);
    expect(quoted({ quotes: ["r1"] })).toEqual(["L9 a block quotes otherwise"]);
    expect(quoted({ quotes: ["u1", "u1"] })).toEqual(["L9 a block quotes otherwise"]);
  });
});

describe("judgePrefix", () => {
  const sent = chat.filter(({ id }) => !["u1", "a1"].includes(id));
  const grown = [...chat, assistantMessage(said("a3"))];
  const last = fitOf(sent, { given: chat });

  it("accepts what was sent with more behind it", () => {
    const fitted = [...sent, ...grown.slice(-1)];
    expect(judgePrefix(last, fitOf(fitted, { given: grown }))).toEqual([]);
  });

  it("finds a turn that went though there was room, and accepts that it went where there was none", () => {
    const fitted = [...chat.slice(0, 1), ...grown.slice(-2)];
    const found = judgePrefix(last, fitOf(fitted, { given: grown }));
    expect(found.map(({ at }) => at)).toEqual(["u2"]);
    expect(judgePrefix(last, fitOf(fitted, { given: grown, budget: 4 }))).toEqual([]);
  });

  it("asks nothing of the turn in which something changed, nor of what follows", () => {
    const given = chat.map((one) => (one.id === "a2" ? { ...one, content: "other" } : one));
    const kept = [...chat.slice(0, 1), ...given.slice(-1)];
    expect(judgePrefix(last, fitOf(kept, { given }))).toEqual([]);
    expect(judgePrefix(last, fitOf(given.slice(-1), { given }))).toHaveLength(1);
  });
});

describe("judgeRefusal", () => {
  const call = (contextTokens: number): Parameters<typeof judgeRefusal>[0] => {
    return { entries: chat, options: { window: { contextTokens }, counter }, plan: "none" };
  };
  const refused = (contextTokens: number): unknown => {
    try {
      return fitToWindow(chat, call(contextTokens).options);
    } catch (error) {
      return error;
    }
  };
  const found = (contextTokens: number, error: unknown): readonly string[] =>
    judgeRefusal(call(contextTokens), error).map(({ rule }) => rule);

  it("accepts a refusal where system message and question do not fit", () => {
    expect(found(1, refused(1))).toEqual([]);
  });

  it("finds a refusal where they fit, and one by another error", () => {
    expect(found(2, refused(1))).toEqual(["refused what fits", "refused what fits by its number"]);
    expect(found(1, new TypeError("x"))).toEqual(["threw TypeError: x"]);
  });
});

function rules(
  kept: readonly HistoryEntry[] | readonly string[],
  more: Partial<JudgedFit> = {},
): readonly string[] {
  const { given = whole } = more;
  const fitted = kept.flatMap((one) =>
    typeof one === "string" ? given.filter(({ id }) => id === one) : [one],
  );
  return judgeFit(fitOf(fitted, more)).map(({ law, rule }) => `${law} ${rule}`);
}

function fitOf(fitted: readonly HistoryEntry[], more: Partial<JudgedFit>): JudgedFit {
  const { given = whole } = more;
  return {
    given,
    fitted,
    plan: planOf(fitted, given),
    viewer: {},
    budget: 100,
    countEntry: () => 1,
    isInOrder: true,
    keepsFirst: false,
    dropped: new Set(),
    ...more,
  };
}

/** A plan of the real engine, with figures as if it had kept these entries. */
function planOf(
  fitted: readonly HistoryEntry[],
  given: readonly HistoryEntry[],
  recalls: readonly PlannedRecall[] = [],
): ReductionPlan {
  const window = { contextTokens: 100 };
  const { plan } = fitToWindow([userMessage(said("u"))], { window, counter });
  const quoted = recalls.length;
  const decisions = plan.decisions.map((one) => ({
    ...one,
    entryCount: given.length,
    tokensAfter: fitted.length - quoted,
  }));
  return { ...plan, decisions, recalls, requestTokens: 0, totalTokens: fitted.length };
}
