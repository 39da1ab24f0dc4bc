import { assistantMessage, summary, systemMessage, userMessage } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { sinceCompaction } from "./since-compaction.ts";

const compaction = (content: string | null): HistoryEntry =>
  summary({
    content: [{ type: "opaque", data: { type: "compaction", content } }],
    strategy: "provider",
    trust: "tool",
  });
const system = systemMessage({ content: "Be brief." });
const asks = userMessage({ content: "To Rome, please." });
const says = assistantMessage({ content: "Two flights go there." });

describe("sinceCompaction", () => {
  it("returns a history without a compaction by identity", () => {
    const own = summary({ content: "So far.", strategy: "chunked", trust: "user" });
    for (const entries of [[], [system, asks, says], [asks, own, says]]) {
      expect(sinceCompaction(entries)).toBe(entries);
    }
  });

  it("keeps the last compaction, what follows it, and the system messages before", () => {
    const [older, newer] = [compaction("Older."), compaction("Newer.")];
    expect(sinceCompaction([system, asks, older, says, newer, asks])).toEqual([
      system,
      newer,
      asks,
    ]);
  });

  it("reads past a compaction that failed", () => {
    const [made, failed] = [compaction("So far."), compaction(null)];
    expect(sinceCompaction([asks, made, says, failed, asks])).toEqual([made, says, failed, asks]);
    const entries = [asks, says, failed, asks];
    expect(sinceCompaction(entries)).toBe(entries);
  });

  it("leaves a compaction of one view to that view", () => {
    const inView = { ...compaction("So far."), view: "thread" } as HistoryEntry;
    const entries = [asks, inView, says];
    expect(sinceCompaction(entries)).toBe(entries);
  });
});
