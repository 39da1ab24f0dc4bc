import { assistantMessage, userMessage } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { counter } from "../test-support/character-counter.ts";
import { fitToWindow } from "./fit-to-window.ts";

describe("fitToWindow", () => {
  it("keeps no negative number of characters of a message in several texts", () => {
    const part = { type: "text", text: "x".repeat(88) } as const;
    const history = [
      userMessage({ id: "u1", content: "q" }),
      assistantMessage({ id: "a1", content: [part, part] }),
      userMessage({ id: "u2", content: "q2" }),
      assistantMessage({ id: "a2", content: "answer" }),
      userMessage({ id: "u3", content: "q3" }),
    ];

    const countEntry: typeof counter.countEntry = ({ type, content }) =>
      JSON.stringify([type, content]).length;

    for (let contextTokens = 150; contextTokens < 320; contextTokens += 5) {
      const { plan } = fitToWindow(history, {
        window: { contextTokens },
        counter: { ...counter, countEntry },
      });
      for (const { action } of plan.decisions) {
        const { head = 0, tail = 0 } =
          (action.kind === "edit" ? action.edit.text : undefined) ?? {};
        expect(Math.min(head, tail)).toBeGreaterThanOrEqual(0);
      }
      expect(JSON.parse(JSON.stringify(plan.decisions))).toEqual(plan.decisions);
    }
  });
});
