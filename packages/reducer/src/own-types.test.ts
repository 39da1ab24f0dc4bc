import type { HistoryEntry } from "@agent-history/core";
import { assistantMessage, customEntry, userMessage } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { counter } from "../test-support/character-counter.ts";
import { embeddingScorer } from "./embedding-scorer.ts";
import { fitToWindow, fitToWindowAsync } from "./fit-to-window.ts";
import { lexicalScorer } from "./lexical/index.ts";

const agent = { id: "w1", role: "worker" } as const;

/** Turns with a note and an event of the user's own between question and answer. */
const history: readonly HistoryEntry[] = Array.from({ length: 12 }, (_, nth) => [
  userMessage({ id: `u${nth}`, createdAtMs: nth, content: `Where is harbour ${nth}?` }),
  customEntry({
    type: "note",
    id: `n${nth}`,
    createdAtMs: nth,
    agent,
    content: `Harbour ${nth} lies east. ${"More of it. ".repeat(20)}`,
  }),
  customEntry({ type: "event", id: `e${nth}`, createdAtMs: nth, payload: { nth } }),
  assistantMessage({ id: `a${nth}`, createdAtMs: nth, content: `East, by pier ${nth}.` }),
]).flat();

describe("fitToWindow", () => {
  for (const contextTokens of [120, 700, 1600, 3000, 100_000]) {
    it(`fits entries of the user's own types into ${contextTokens} tokens, with and without content`, () => {
      const log = [...history, userMessage({ id: "q", createdAtMs: 99, content: "Harbour 3?" })];
      for (const scorer of [undefined, lexicalScorer()]) {
        const { entries, plan } = fitToWindow(log, {
          window: { contextTokens },
          counter,
          ...(scorer === undefined ? {} : { scorer }),
        });
        expect(entries.at(-1)?.id).toBe("q");
        const sent = entries.reduce((sum, entry) => sum + counter.countEntry(entry), 0);
        expect(sent + counter.countRequest()).toBeLessThanOrEqual(contextTokens);
        expect(plan.totalTokens).toBe(sent + counter.countRequest());
      }
    });
  }
});

describe("fitToWindowAsync", () => {
  it("lets an embedding scorer read entries of the user's own types without content", async () => {
    const log = [...history, userMessage({ id: "q", createdAtMs: 99, content: "Harbour 3?" })];
    const scorer = embeddingScorer({
      embed: async (texts) => texts.map((text) => [text.length, 1]),
    });
    const window = { contextTokens: 1600 };
    const { entries } = await fitToWindowAsync(log, { window, counter, scorer });
    expect(entries.at(-1)?.id).toBe("q");
  });
});
