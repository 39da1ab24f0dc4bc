import { action, observation, userMessage } from "@agent-history/core";
import type { Content, HistoryEntry } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { counter, options } from "../../test-support/character-counter.ts";
import { fitToWindow } from "../fit-to-window.ts";

const text = "The page says: " + "useful words ".repeat(50);

function resultOf(content: Content, pinned?: true): readonly HistoryEntry[] {
  return [
    userMessage({ id: "q", content: "look" }),
    action({ id: "x", toolCalls: [{ id: "c", name: "see", arguments: "{}" }] }),
    observation({
      id: "o",
      callId: "c",
      toolName: "see",
      outcome: "success",
      content,
      ...(pinned && { pinned }),
    }),
  ];
}

describe("capResults", () => {
  const images: Readonly<Record<string, readonly HistoryEntry[]>> = {
    "an image": resultOf([
      { type: "text", text },
      { type: "image", source: { kind: "data", base64: "i".repeat(900) }, mediaType: "image/png" },
    ]),
    "an opaque part": resultOf([
      { type: "text", text },
      { type: "opaque", data: "k".repeat(900) },
    ]),
    "many short texts": resultOf(
      Array.from({ length: 40 }, () => ({ type: "text", text: "as short as it gets" })),
    ),
  };
  for (const [what, entries] of Object.entries(images)) {
    it(`leaves a text alone beside ${what} that no cut of it makes small enough`, () => {
      const fitted = fitToWindow(entries, { ...options(4000), maxResultShare: 0.2 });
      expect(fitted.entries).toBe(entries);
    });
  }

  it("cuts to what the cap leaves, not to half of it, and a second fit changes nothing", () => {
    for (const content of ["x".repeat(5000), [{ type: "text", text: text.repeat(9) }] as const]) {
      const given = { ...options(2000), maxResultShare: 0.4 };
      const fitted = fitToWindow(resultOf(content), given);
      const tokens = counter.countEntry(fitted.entries[2] ?? fail());
      expect(tokens).toBeLessThanOrEqual(800);
      expect(tokens).toBeGreaterThan(0.85 * 800);
      expect(fitToWindow(fitted.entries, given).entries).toBe(fitted.entries);
    }
  });

  it("leaves a pinned result as it is", () => {
    const entries = resultOf("x".repeat(900), true);
    expect(fitToWindow(entries, { ...options(1000), maxResultShare: 0.2 }).entries).toBe(entries);
  });
});

function fail(): never {
  throw new Error("There is no such entry.");
}
