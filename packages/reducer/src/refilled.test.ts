import { userMessage } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { counter } from "../test-support/character-counter.ts";
import { exchange } from "../test-support/exchange.ts";
import { fitToWindow } from "./fit-to-window.ts";

describe("fitToWindow, where what was dropped comes back", () => {
  it("gives a result no more than one result may have, so that a second fit changes nothing", () => {
    const asked = (id: string): HistoryEntry => userMessage({ id, content: "q" });
    const given = [asked("u"), ...exchange("x", 3300), ...exchange("y", 3600), asked("q")];
    const countEntry: typeof counter.countEntry = (entry) => 3 + counter.countEntry(entry);
    const own = { ...counter, countEntry };
    const options = { window: { contextTokens: 6210 }, counter: own, steps: [] };
    const once = fitToWindow(given, options);
    expect(once.plan.totalTokens).toBeGreaterThan(3000);
    expect(fitToWindow(once.entries, options).entries).toEqual(once.entries);
  });
});
