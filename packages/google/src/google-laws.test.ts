import type { HistoryEntry } from "@agent-history/core";
import { describeMessageFormat } from "@agent-history/testkit/format";
import { describe, expect, it } from "vitest";

import { contentPage, strangeContents } from "../test-messages/content-page.ts";
import { fromContents, toContents } from "./contents.ts";

describeMessageFormat("Gemini's contents", {
  read: fromContents,
  write: toContents,
  userMessage: (text) => ({ role: "user", parts: [{ text }] }),
  knownMessages: contentPage,
  strangeMessages: strangeContents,
});

describe("fromContents", () => {
  it("reads calls and responses, by id and without ids by name", () => {
    const entries = fromContents(contentPage);

    expect(entries.map(({ type }) => type)).toEqual([
      "user_message",
      "user_message",
      "action",
      "observation",
      "observation",
      "action",
      "observation",
      "user_message",
      "assistant_message",
    ]);
    expect(entries.filter(({ type }) => type === "observation")).toMatchObject([
      { callId: "c1", toolName: "find_flights", outcome: "success", content: "Two." },
      { callId: "c2", toolName: "find_hotels", outcome: "error", content: "Closed." },
      { callId: callIdOf(entries), toolName: "find_flights", outcome: "success" },
    ]);
  });

  it("keeps a thought signature in the part that it came in, when the text is edited", () => {
    const entries = fromContents(contentPage).map((entry): HistoryEntry => {
      if (entry.type !== "action" || typeof entry.content === "string") return entry;
      const content = entry.content?.map((part) =>
        part.type === "text" ? { ...part, text: "…" } : part,
      );
      return content === undefined ? entry : { ...entry, content };
    });
    expect(toContents(entries)[2]?.parts).toMatchObject([
      { thought: true },
      { text: "…", thoughtSignature: "U0lH" },
      { functionCall: { id: "c1" }, thoughtSignature: "U0lHMg==" },
      { functionCall: { id: "c2" } },
    ]);
  });

  it("refuses a system instruction of another shape", () => {
    expect(() => fromContents([], { systemInstruction: { role: "user", parts: 7 } })).toThrow(
      "Expected `systemInstruction`",
    );
  });
});

function callIdOf(entries: readonly HistoryEntry[]): string | undefined {
  const [, action] = entries.filter(({ type }) => type === "action");
  return action?.type === "action" ? action.toolCalls[0]?.id : undefined;
}
