import {
  action,
  assistantMessage,
  final,
  memory,
  repairHistory,
  observation,
  systemMessage,
  userMessage,
} from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryHistory } from "../arbitrary-history.ts";
import { lawRuns } from "../law-runs.ts";
import { providerProblems } from "./index.ts";

const system = systemMessage({ content: "Be brief." });
const asks = userMessage({ content: "Which flights?" });
const calls = action({ toolCalls: [{ id: "a", name: "look", arguments: "{}" }] });
const brings = observation({ callId: "a", toolName: "look", outcome: "success", content: "" });
const says = assistantMessage({ content: "Two." });

describe("providerProblems", () => {
  it("finds nothing in a sound conversation", () => {
    expect(providerProblems([system, asks, calls, brings, says, asks])).toEqual([]);
  });

  it("finds an unanswered call with every provider", () => {
    expect(providersOf([system, asks, calls, asks], "unanswered-call")).toHaveLength(6);
  });

  it("finds a result without its call with every provider", () => {
    expect(providersOf([asks, says, brings], "orphan-result")).toHaveLength(6);
  });

  it("joins what one role says in a row, but not for a template", () => {
    const twice = [asks, memory({ content: "He is six feet tall." }), asks];
    expect(providersOf(twice, "not-alternating")).toEqual(["mistral"]);
  });

  it("reads a report as its viewer does", () => {
    const report = final({ content: "Found it.", agent: { id: "w1", role: "worker" } });
    expect(providerProblems([report], { agentId: "m1" })).toEqual([]);
    expect(providerProblems([report], { agentId: "w1" })).not.toEqual([]);
  });

  it("has no message to show where there is none", () => {
    expect(new Set(providerProblems([]).map(({ rule }) => rule))).toEqual(new Set(["no-message"]));
  });

  it("finds no broken pair in any history that was repaired", () => {
    const pairs = new Set(["orphan-result", "unanswered-call"]);
    fc.assert(
      fc.property(arbitraryHistory({ running: false }), (history) => {
        const { entries } = repairHistory(history);
        const chat = providerProblems(entries).filter(({ provider }) => provider === "openai-chat");

        expect(chat.filter(({ rule }) => pairs.has(rule))).toEqual([]);
      }),
      { numRuns: lawRuns(150) },
    );
  });
});

function providersOf(entries: readonly HistoryEntry[], rule: string): readonly string[] {
  const found = providerProblems(entries).filter((problem) => problem.rule === rule);
  return [...new Set(found.map(({ provider }) => provider))];
}
