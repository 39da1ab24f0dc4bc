import { assistantMessage, systemMessage, userMessage } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { counter } from "../test-support/quarter-counter.ts";
import { replaceHistoryWithSummary } from "./compress-history.ts";

const short = [
  systemMessage({ id: "s", content: "You sell." }),
  userMessage({ id: "u1", content: "Where is the order A1772? I live in Rome. ".repeat(4) }),
  assistantMessage({
    id: "a1",
    content: "It was sent on 2026-05-02, and comes by truck. ".repeat(8),
  }),
  userMessage({ id: "u2", content: "And A1773?" }),
];

describe("replaceHistoryWithSummary", () => {
  it("replaces a short history too", async () => {
    const { entries, result } = await replaceHistoryWithSummary(short, { counter });

    expect(result.outcome).toBe("compressed");
    expect(entries.map(({ type }) => type)).toEqual(["system_message", "summary", "user_message"]);
    expect(JSON.stringify(entries)).toContain("A1772");
  });

  it("keeps a tail where one is asked for", async () => {
    const { entries, result } = await replaceHistoryWithSummary(short, {
      counter,
      tailTokens: 1000,
    });
    expect(result.outcome).toBe("not-needed");
    expect(entries).toBe(short);
  });
});
