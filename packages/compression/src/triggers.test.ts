import { agentView, observation, synthesis, task, userMessage } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { chat, codeOf, options } from "../test-support/chat.ts";
import { counter } from "../test-support/quarter-counter.ts";
import { compressHistory } from "./compress-history.ts";
import type { CompressionTrigger } from "./triggers.ts";
import {
  betweenPhases,
  allOf,
  anyOf,
  not,
  messagesExceed,
  tokensExceed,
  turnsExceed,
  windowShareExceeds,
} from "./triggers.ts";

const history = chat(4);
const tokens = history.reduce((sum, entry) => sum + counter.countEntry(entry), 0);

describe("triggers", () => {
  it.each([
    ["tokensExceed", tokensExceed(tokens - 1), tokensExceed(tokens)],
    ["messagesExceed", messagesExceed(8), messagesExceed(9)],
    ["turnsExceed", turnsExceed(4), turnsExceed(5)],
    [
      "windowShareExceeds",
      windowShareExceeds(0.5, { contextTokens: 2 * tokens - 2 }),
      windowShareExceeds(0.5, { contextTokens: 2 * tokens }),
    ],
    [
      "windowShareExceeds, less what is kept free",
      windowShareExceeds(1, {
        contextTokens: tokens + 29,
        outputReserveTokens: 20,
        marginTokens: 10,
      }),
      windowShareExceeds(1, {
        contextTokens: tokens + 30,
        outputReserveTokens: 20,
        marginTokens: 10,
      }),
    ],
  ])("%s fires above its limit, not at it", async (_, above, at) => {
    expect(await fires(above)).toBe(true);
    expect(await fires(at)).toBe(false);
  });

  it("look at the view's own entries", async () => {
    const seen: number[] = [];
    const trigger: CompressionTrigger = (situation) => {
      seen.push(situation.tokens, situation.members.length, situation.entries.length);
      return false;
    };
    await compressHistory(history, { ...options, trigger, view: agentView("w1") });
    expect(seen).toEqual([0, 0, 9]);
  });

  it("take 0 and Infinity as none and all, and refuse what is no count", async () => {
    expect(await fires(tokensExceed(0))).toBe(true);
    expect(await fires(tokensExceed(Infinity))).toBe(false);
    for (const make of [tokensExceed, messagesExceed, turnsExceed]) {
      for (const value of [-1, 0.5, Number.NaN]) {
        expect(await codeOf(() => make(value))).toBe("INVALID_OPTION");
      }
    }
    for (const share of [0, -1, 1.1, Number.NaN]) {
      expect(await codeOf(() => windowShareExceeds(share, { contextTokens: 9 }))).toBe(
        "INVALID_OPTION",
      );
    }
    expect(await codeOf(() => windowShareExceeds(0.5, { contextTokens: -9 }))).toBe(
      "INVALID_OPTION",
    );
  });

  it("combine", async () => {
    const [yes, no]: readonly CompressionTrigger[] = [() => true, () => false];
    if (yes === undefined || no === undefined) return;
    expect(
      await Promise.all([anyOf(no, yes), anyOf(no), anyOf()].map((one) => fires(one))),
    ).toEqual([true, false, false]);
    expect(
      await Promise.all([allOf(yes, yes), allOf(yes, no), allOf()].map((one) => fires(one))),
    ).toEqual([true, false, true]);
    expect(await Promise.all([not(yes), not(no)].map((one) => fires(one)))).toEqual([false, true]);
  });

  it("that throw fail the compression and nothing else", async () => {
    const trigger = (): boolean => {
      throw new Error("secret");
    };
    // The text of an error may quote the conversation.
    expect(await compressHistory(history, { ...options, trigger })).toMatchObject({
      outcome: "failed",
      reason: "The compression failed: Error.",
    });
  });
});

describe("betweenPhases", () => {
  const agent = { id: "m1", role: "manager" } as const;
  const first = [
    userMessage({ content: "Go." }),
    task({ phaseId: 1, agent, content: "Collect." }),
    observation({
      phaseId: 1,
      agent,
      callId: "c",
      toolName: "t",
      outcome: "success",
      content: "x",
    }),
  ];
  const done = synthesis({ phaseId: 1, agent, content: "Collected." });
  const next = task({ phaseId: 2, agent, content: "Decide." });
  const work = observation({
    phaseId: 2,
    agent,
    callId: "d",
    toolName: "t",
    outcome: "success",
    content: "y",
  });

  it.each<[string, readonly HistoryEntry[], boolean]>([
    ["before any phase", chat(2), false],
    ["within a phase", first, false],
    ["after its synthesis", [...first, done], true],
    ["while the next is only given out", [...first, done, next], true],
    ["without a synthesis, while the next is only given out", [...first, next], true],
    ["once the next has begun", [...first, done, next, work], false],
  ])("%s", async (_, entries, expected) => {
    expect(await fires(betweenPhases(), entries)).toBe(expected);
  });
});

/** Whether a compression was tried. */
async function fires(trigger: CompressionTrigger, entries = history): Promise<boolean> {
  const result = await compressHistory(entries, { ...options, trigger });
  return !(result.outcome === "not-needed" && result.cause === "trigger");
}
