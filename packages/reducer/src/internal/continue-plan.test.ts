import { action, assistantMessage, observation, userMessage } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { chat, errorOf, options } from "../../test-support/character-counter.ts";
import { fitToWindow } from "../fit-to-window.ts";
import { STEP_NAMES } from "../reduction-step.ts";

describe("continuationOf", () => {
  it("keeps what the plan before made smaller, at the next cut too", () => {
    const fields = { callId: "c", toolName: "read", outcome: "success" } as const;
    const log: HistoryEntry[] = [
      userMessage({ id: "old", content: "q".repeat(20) }),
      assistantMessage({ id: "a", content: "a".repeat(10) }),
      userMessage({ id: "u0", content: "" }),
      action({ id: "x", toolCalls: [{ id: "c", name: "read", arguments: "{}" }] }),
      observation({ id: "o", ...fields, content: "r".repeat(400) }),
      userMessage({ id: "u1", content: "q".repeat(10) }),
    ];
    const capped = { ...options(100), maxResultShare: 0.45, lowWatermark: 1 };
    const { entries: first, plan } = fitToWindow(log, capped);
    expect(plan.decisions.map(({ step }) => step)).toContain("cap-results");
    log.push(assistantMessage({ id: "a1", content: "a".repeat(45) }));
    const without = STEP_NAMES.filter((name) => name !== "drop-old-messages");
    const { entries } = fitToWindow(log, {
      ...capped,
      without,
      maxResultShare: 1,
      previousPlan: plan,
    });
    expect(entries.map(({ id }) => id)).toEqual(["u0", "x", "o", "u1", "a1"]);
    expect(entries[2]).toBe(first[4]);
  });

  it("says at the next cut what the cut before said of what it dropped", () => {
    const { plan: first } = fitToWindow(chat, options(60));
    const log = [...chat, userMessage({ id: "u5", content: "q".repeat(10) })];
    const { plan } = fitToWindow(log, { ...options(60), previousPlan: first });
    expect(first.decisions[0]).toMatchObject({ entryCount: 2, tokensBefore: 20 });
    const { step, reason, estimated } = plan.decisions[0] ?? {};
    expect({ step, reason, estimated }).toEqual({
      step: "drop-old-messages",
      reason: "of an earlier turn",
      estimated: undefined,
    });
  });

  it("does not go on where something new bears an id that is kept, or that is new too", () => {
    const { plan: previousPlan } = fitToWindow(chat, options(100));
    const stranger = userMessage({ id: "u4", content: "another" });
    const twins = ["one", "other"].map((content) => userMessage({ id: "u5", content }));
    for (const added of [[stranger], twins]) {
      const fit = (): unknown =>
        fitToWindow([...chat, ...added], { ...options(100), previousPlan });
      expect(errorOf(fit)?.code).toBe("DUPLICATE_ID");
    }
  });
});
