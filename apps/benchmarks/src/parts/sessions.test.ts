import { describe, expect, it } from "vitest";

import { generateSession } from "../sessions/generate-session.ts";
import { brokenSessions, sessionsTable } from "./sessions.ts";
import type { SessionsFigures } from "./sessions.ts";

function figures(minMs: number, more: Partial<SessionsFigures> = {}): SessionsFigures {
  const many = { command: "sessions", bytes: 100e6, files: 50, peakBytes: 120e6 };
  const process = { minMs, medianMs: minMs, meanMs: minMs, load: 0, isUnsteady: false };
  return { ...many, process, ...more };
}

describe("brokenSessions", () => {
  it("holds the first command to two seconds, and memory to the length of one file", () => {
    expect(brokenSessions([figures(1900), figures(9000, { files: 1, bytes: 500e6 })])).toEqual([]);
    const slow = figures(2001);
    const large = figures(1900, { files: 1, peakBytes: 101e6 });
    expect(brokenSessions([slow, large])).toHaveLength(2);
    const { head, rows } = sessionsTable([slow, large]);
    expect(rows.map((row) => row.length)).toEqual([head.length, head.length]);
  });
});

describe("generateSession", () => {
  it("gives the same lines for a seed, with compactions", () => {
    const take = (seed: number): readonly string[] => {
      const lines = generateSession(seed);
      return Array.from({ length: 900 }, () => String(lines.next().value));
    };
    expect(take(1)).toEqual(take(1));
    expect(take(1)).not.toEqual(take(2));
    expect(take(1).filter((line) => line.includes("compact_boundary")).length).toBeGreaterThan(1);
  });
});
