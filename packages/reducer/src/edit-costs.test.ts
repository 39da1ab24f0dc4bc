import { action, assistantMessage, observation, userMessage } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { options } from "../test-support/character-counter.ts";
import { fitToWindow } from "./fit-to-window.ts";

/** Three finished turns whose results are long; the answers carry reasoning. */
const turns: readonly HistoryEntry[] = [1, 2, 3].flatMap((nth) => [
  userMessage({ id: `u${nth}`, createdAtMs: 0, content: "q".repeat(20) }),
  action({
    id: `x${nth}`,
    createdAtMs: 0,
    toolCalls: [{ id: `c${nth}`, name: "read", arguments: "{}" }],
  }),
  observation({
    id: `o${nth}`,
    createdAtMs: 0,
    callId: `c${nth}`,
    toolName: "read",
    outcome: "success",
    content: "a line\n".repeat(150),
  }),
  assistantMessage({
    id: `a${nth}`,
    createdAtMs: 0,
    content: [
      { type: "reasoning", text: "I think." },
      { type: "text", text: "It is so." },
    ],
  }),
]);
const question = userMessage({ id: "q", createdAtMs: 0, content: "q".repeat(1000) });

describe("fitToWindow for a family that binds reasoning to what stands before it", () => {
  const { plan: previousPlan } = fitToWindow(turns, options(3600));
  const cut = (bindsReasoning: boolean) =>
    fitToWindow([...turns, question], {
      ...options(3600),
      lowWatermark: 0.8,
      firstRequestShare: 0,
      previousPlan,
      bindsReasoning,
    });

  it("drops whole turns and edits nothing before reasoning that stays", () => {
    const { entries, plan } = cut(true);
    expect(plan.decisions.map(({ action: { kind } }) => kind)).not.toContain("edit");
    expect(entries.at(-1)).toBe(question);
    expect(entries.length).toBeLessThan(turns.length);
  });

  it("clears old results first for all other families", () => {
    const { entries, plan } = cut(false);
    expect(plan.decisions.map(({ action: { kind } }) => kind)).toContain("edit");
    expect(entries).toContain(turns[0]);
  });
});
