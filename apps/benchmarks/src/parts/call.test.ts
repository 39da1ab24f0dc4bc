import { describe, expect, it } from "vitest";

import type { CallFigures } from "./call-turns.ts";
import { brokenCalls } from "./call.ts";

const OWN = "agent-history";

describe("brokenCalls", () => {
  it("finds a call that is slower than a peer's, and kept messages that cost more than a fifth of the first call", () => {
    expect(brokenCalls([row(OWN, 1000, 1), row("Mastra TokenLimiter", 1000, 2)])).toEqual([]);
    expect(brokenCalls([row(OWN, 1000, 2), row("Mastra TokenLimiter", 1000, 1)])).toEqual([
      "A call is slower than Mastra TokenLimiter at 1,000 messages.",
    ]);
    expect(brokenCalls([{ ...row(OWN, 1000, 21), firstMs: 100 }])).toHaveLength(1);
  });

  it("finds what grows faster than the conversation", () => {
    expect(brokenCalls([row(OWN, 10_000, 1), row(OWN, 100_000, 20)])).toEqual([]);
    expect(brokenCalls([row(OWN, 10_000, 1), row(OWN, 100_000, 21)])).toEqual([
      "100,000 messages, kept, take 21.0 times 10,000.",
      "100,000 messages, parsed again, take 21.0 times 10,000.",
    ]);
  });
});

function row(system: string, messages: number, minMs: number): CallFigures {
  const timing = { minMs, medianMs: minMs, meanMs: minMs, load: 0, isUnsteady: false };
  return { system, messages, firstMs: 1000, kept: timing, parsedAgain: timing };
}
