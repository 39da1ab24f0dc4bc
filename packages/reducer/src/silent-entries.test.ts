import { assistantMessage, attachment, errorEntry, memory, userMessage } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { counter, idsAt } from "../test-support/character-counter.ts";
import { exchange } from "../test-support/exchange.ts";

const asked = userMessage({ id: "u", content: "q".repeat(5) });
const click: HistoryEntry = JSON.parse('{ "type": "click", "id": "k", "createdAtMs": 1 }');
const rule = memory({ id: "m", content: "m".repeat(5), trust: "system" });

describe("fitToWindow, with entries that are shown in no role", () => {
  it.each([click, rule])("lets $type part no two of one role", (silent) => {
    const answer = assistantMessage({ id: "a", content: "a".repeat(12) });
    const answered = [asked, answer, ...exchange("x1", 80), silent, ...exchange("x2", 60)];
    expectApart(answered, ["a", "x2"]);
    const upload = attachment({ id: "at", messageId: "u", content: "a".repeat(12) });
    const failed = errorEntry({ id: "e", content: "e".repeat(8) });
    const sent = [asked, upload, ...exchange("x1", 80), silent, failed, ...exchange("x2", 60)];
    expectApart(sent, ["at", "e"]);
  });
});

/** Fits at every window that does, and finds two entries never next to each other, but for what is shown in no role. */
function expectApart(
  history: readonly HistoryEntry[],
  [one, other]: readonly [string, string],
): void {
  const total = history.reduce((sum, entry) => sum + counter.countEntry(entry), 0);
  for (let window = total - 1; window > 90; window--) {
    const ids = idsAt(history, window)
      .split(" ")
      .filter((id) => id !== "k" && id !== "m");
    expect(ids[ids.indexOf(one) + 1] === other && ids.includes(one), `window ${window}`).toBe(
      false,
    );
  }
}
