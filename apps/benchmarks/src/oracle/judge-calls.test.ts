import { assistantMessage, systemMessage, userMessage } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { judgePrefix } from "./judge-prefix.ts";
import { judgeRefusal } from "./judge-refusal.ts";

const system = systemMessage({ id: "s", content: "s" });
const turns = [1, 2, 3].flatMap((turn) => [
  userMessage({ id: `u${turn}`, content: `q${turn}` }),
  assistantMessage({ id: `a${turn}`, content: `a${turn}` }),
]);
const question = userMessage({ id: "u4", content: "q4" });
const log = [system, ...turns, question];
const byOne = { budget: 100, countEntry: () => 1 };

describe("judgePrefix", () => {
  const sent = log.filter(({ id }) => !["u1", "a1"].includes(id));
  const grown = [...log, assistantMessage({ id: "a4", content: "a4" })];
  const call = { ...byOne, givenBefore: log, fittedBefore: sent, given: grown };

  it("accepts what was sent with more behind it", () => {
    expect(judgePrefix({ ...call, fitted: [...sent, ...grown.slice(-1)] })).toEqual([]);
  });

  it("finds a turn that went though there was room, and accepts that it went where there was none", () => {
    const fitted = [system, ...grown.slice(-2)];
    expect(judgePrefix({ ...call, fitted }).map(({ at }) => at)).toEqual(["u2"]);
    expect(judgePrefix({ ...call, budget: 6, fitted })).toEqual([]);
  });

  it("asks nothing of the turn in which something changed, nor of what follows", () => {
    const given = log.map((entry) => (entry.id === "a3" ? { ...entry, content: "other" } : entry));
    const before = sent.slice(0, 3);
    expect(judgePrefix({ ...call, given, fitted: [...before, ...given.slice(-1)] })).toEqual([]);
    expect(judgePrefix({ ...call, given, fitted: given.slice(-3) })).toHaveLength(1);
  });
});

describe("judgeRefusal", () => {
  const facts = { given: log, countEntry: () => 1, requestTokens: 0, isInOrder: true };
  const rules = (contextTokens: number, required: number, least: number): readonly string[] => {
    const details = { required, available: contextTokens };
    const fits = (tokens: number): boolean => tokens >= least;
    return judgeRefusal({ ...facts, window: { contextTokens } }, details, fits).map(
      ({ rule }) => rule,
    );
  };

  it("accepts a refusal where system message and question do not fit, with the smallest window that would do", () => {
    expect(rules(1, 2, 2)).toEqual([]);
  });

  it("finds a refusal where they fit, and a number that would not do", () => {
    expect(rules(2, 3, 3)).toEqual(["refused what fits"]);
    expect(rules(1, 2, 50)).toEqual(["required is too little"]);
    expect(rules(1, 1, 1)).toEqual(["refused what fits by its own number"]);
  });

  it("finds a refusal without its numbers", () => {
    const window = { contextTokens: 1 };
    const found = judgeRefusal({ ...facts, window }, undefined, () => true);
    expect(found.map(({ rule }) => rule)).toEqual(["refused without its numbers"]);
  });
});
