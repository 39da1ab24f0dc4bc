import { groupExchanges, isHistoryError, repairHistory } from "@agent-history/core";
import type { HistoryEntry, TokenCounter } from "@agent-history/core";
import { fitToWindow } from "@agent-history/reducer";
import {
  arbitraryBrokenHistory,
  arbitraryHistory,
  deepFreeze,
  lawRuns,
} from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { readAny } from "../test-messages/read-any.ts";
import { requestProblems } from "../test-messages/request-problems.ts";
import { checkAnthropicMessages, toAnthropicRequest } from "./index.ts";

const RUNS = { numRuns: lawRuns(100) };
/** Whether somebody waits for an answer, and said anything, is the history's. */
const OF_THE_HISTORY = new Set(["ends-with-answer"]);

describe("toAnthropicRequest", () => {
  it("makes a request that Anthropic takes of any history that was repaired", () => {
    const histories = fc.oneof(
      arbitraryHistory({ running: false }),
      arbitraryBrokenHistory({ running: false }),
    );
    fc.assert(
      fc.property(histories, (history) => {
        const { entries } = repairHistory(history);
        // What still runs waits for its results.
        fc.pre(groupExchanges(entries).every((group) => group.kind === "single" || !group.running));
        expect(problemsOf(deepFreeze(entries))).toEqual([]);
      }),
      RUNS,
    );
  });

  it("gives messages that Anthropic takes back as they came", () => {
    const histories = arbitraryHistory({ running: false });
    fc.assert(
      fc.property(histories, fc.boolean(), (history, isAlone) => {
        const made = toAnthropicRequest(repairHistory(history).entries);
        const { system, messages } = made;
        // Each block for itself is as good as one message of them, but for what must stand together.
        const came = isAlone ? messages.flatMap(split) : messages;
        fc.pre(checkAnthropicMessages(came).every(({ rule }) => OF_THE_HISTORY.has(rule)));

        const again = toAnthropicRequest(readAny(deepFreeze(came), { system }));
        expect(again).toStrictEqual({ ...(system !== undefined && { system }), messages: came });
      }),
      RUNS,
    );
  });

  it("makes one that is no longer than its window of what a fit left", () => {
    let reduced = 0;
    fc.assert(
      fc.property(
        arbitraryHistory({ running: false }),
        fc.integer({ min: 60, max: 900 }),
        (history, contextTokens) => {
          const fitted = fit(history, contextTokens);
          if (fitted === undefined) return;
          if (fitted !== history) reduced += 1;
          expect(problemsOf(fitted)).toEqual([]);
        },
      ),
      RUNS,
    );
    expect(reduced).toBeGreaterThan(RUNS.numRuns / 10);
  });
});

function split(message: {
  readonly role: string;
  readonly content: unknown;
}): readonly { role: string; content: unknown }[] {
  const { role, content } = message;
  if (!Array.isArray(content) || content.length < 2 || role === "system") return [message];
  if (content.filter(({ type }) => type === "tool_use").length > 1) return [message];
  return content.map((block: unknown) => ({ role, content: [block] }));
}

function problemsOf(entries: readonly HistoryEntry[]): readonly string[] {
  return requestProblems(toAnthropicRequest(entries)).filter((rule) => !OF_THE_HISTORY.has(rule));
}

const counter: TokenCounter = {
  id: "characters",
  countText: (text) => Math.ceil(text.length / 4),
  countEntry: (entry) => 3 + Math.ceil(JSON.stringify(entry.content ?? "").length / 4),
  countRequest: () => 3,
};

function fit(
  history: readonly HistoryEntry[],
  contextTokens: number,
): readonly HistoryEntry[] | undefined {
  try {
    return fitToWindow(history, { window: { contextTokens }, counter }).entries;
  } catch (error) {
    if (isHistoryError(error, "WINDOW_TOO_SMALL")) return undefined;
    throw error;
  }
}
