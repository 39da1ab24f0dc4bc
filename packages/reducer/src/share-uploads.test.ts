import {
  action,
  assistantMessage,
  attachment,
  observation,
  userMessage,
} from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { counter, options } from "../test-support/character-counter.ts";
import { fitToWindow } from "./fit-to-window.ts";

const upload = (id: string, content: string): HistoryEntry =>
  attachment({ id, messageId: "q", content });
const question = userMessage({ id: "q", content: "What do the files say?" });

function tokensOf(entries: readonly HistoryEntry[], type: HistoryEntry["type"]): number {
  return entries
    .filter((entry) => entry.type === type)
    .reduce((sum, entry) => sum + counter.countEntry(entry), 0);
}

describe("uploads", () => {
  const rows = Array.from({ length: 4000 }, (_, row) => row * 7);
  const each: Readonly<Record<string, readonly HistoryEntry[]>> = {
    "one long text": [upload("f", "word ".repeat(10_000))],
    "some long texts": [1, 2, 3, 4, 5].map((nth) => upload(`f${nth}`, "word ".repeat(nth * 1000))),
    "a long text among short ones": [upload("f", "x".repeat(9000)), upload("g", "y".repeat(100))],
    "many texts": Array.from({ length: 40 }, (_, nth) => upload(`f${nth}`, "word ".repeat(100))),
    JSON: [upload("f", JSON.stringify({ rows }))],
  };
  for (const [what, uploads] of Object.entries(each)) {
    it(`fills the share with ${what}`, () => {
      const { entries, plan } = fitToWindow([question, ...uploads], options(5000));
      expect(plan.totalTokens).toBeLessThanOrEqual(5000);
      expect(tokensOf(entries, "attachment")).toBeGreaterThan(0.9 * 0.6 * 5000);
    });
  }

  it("shortens the longest and leaves the short ones as they are", () => {
    const short = upload("g", "y".repeat(100));
    const { entries } = fitToWindow([question, upload("f", "x".repeat(9000)), short], options(900));
    expect(entries).toContain(short);
  });

  it("keeps the floor while the running exchange has sources to give", () => {
    const sources = Array.from({ length: 40 }, (_, number) => ({
      number,
      id: `s${number}`,
      text: "evidence ".repeat(11),
    }));
    const call = { id: "c", name: "search", arguments: "{}" };
    const running = [
      action({ id: "x", toolCalls: [call] }),
      observation({
        id: "o",
        callId: "c",
        toolName: "search",
        outcome: "success",
        content: "",
        sources,
      }),
    ];
    const { entries, plan } = fitToWindow(
      [question, upload("f", "x".repeat(3000)), ...running],
      options(4000),
    );
    expect(tokensOf(entries, "attachment")).toBeGreaterThan(0.18 * 4000);
    expect(plan.totalTokens).toBeGreaterThan(0.9 * 4000);
  });

  it("leave the floor to the upload of the question once older ones are dropped", () => {
    const old = Array.from({ length: 6 }, (_, nth): readonly HistoryEntry[] => [
      userMessage({ id: `u${nth}`, content: "Read it." }),
      ...(nth < 2 ? [upload(`f${nth}`, "word ".repeat(300))] : []),
      assistantMessage({ id: `a${nth}`, content: "a word ".repeat(40) }),
    ]);
    const history = [...old.flat(), question, upload("f", "word ".repeat(600))];
    const { entries, plan } = fitToWindow(history, options(1500));
    const own = entries.filter(({ id }) => id === "f");
    expect(tokensOf(own, "attachment")).toBeGreaterThan(0.9 * 0.2 * 1500);
    expect(plan.totalTokens).toBeLessThanOrEqual(1500);
  });

  it("keep their floor beside ten running results", () => {
    const calls = Array.from({ length: 10 }, (_, nth) => ({
      id: `c${nth}`,
      name: "read",
      arguments: "{}",
    }));
    const results = calls.map(({ id }) =>
      observation({
        id,
        callId: id,
        toolName: "read",
        outcome: "success",
        content: "a line of text\n".repeat(60),
      }),
    );
    const { entries } = fitToWindow(
      [
        question,
        upload("f", "word ".repeat(600)),
        action({ id: "x", toolCalls: calls }),
        ...results,
      ],
      options(2500),
    );
    expect(tokensOf(entries, "attachment")).toBeGreaterThan(0.9 * 0.2 * 2500);
  });
});
