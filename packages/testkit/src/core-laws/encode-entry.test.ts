import { isDeepStrictEqual } from "node:util";

import type { HistoryEntry } from "@agent-history/core";
import { STORED_VERSION, decodeEntry, encodeEntry } from "@agent-history/core/schema";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryEntry } from "../arbitrary-entry.ts";
import { lawRuns } from "../law-runs.ts";

const message: HistoryEntry = { type: "user_message", id: "u1", createdAtMs: 0, content: "Hello" };

describe("encodeEntry", () => {
  it("gives what decodeEntry gives back, through JSON", () => {
    fc.assert(
      fc.property(arbitraryEntry({ optional: "all" }), (entry) => {
        const json = JSON.stringify(encodeEntry(entry));
        expect(isDeepStrictEqual(decodeEntry(JSON.parse(json)), entry)).toBe(true);
        expect(isDeepStrictEqual(decodeEntry(json), entry)).toBe(true);
      }),
      { numRuns: lawRuns(300) },
    );
  });

  it("writes the entry beside the version", () => {
    expect(encodeEntry(message)).toStrictEqual({ v: STORED_VERSION, ...message });
  });

  it.each([
    ["half a surrogate pair", "a\ud83d b\udc4d"],
    ["a line separator", "a\u2028b\u2029c"],
    ["NUL and other controls", "\u0000\u0008\u001b\u007f"],
    ["a byte order mark", "\ufeffa"],
    ["text that is not normalized", "e\u0301 \u00e9"],
  ])("keeps %s", (_, content) => {
    const metadata = { [content]: content };
    const decoded = decodeEntry(JSON.stringify(encodeEntry({ ...message, content, metadata })));
    expect(decoded).toStrictEqual({ ...message, content, metadata });
  });

  it("writes 0 for -0, which JSON cannot write", () => {
    const stored = encodeEntry({ ...message, createdAtMs: -0, phaseId: -0, metadata: { a: -0 } });
    expect(stored).toStrictEqual({ v: 1, ...message, phaseId: 0, metadata: { a: 0 } });
  });

  it("refuses what decodeEntry could not read", () => {
    const broken = { ...message, content: undefined } as unknown as HistoryEntry;
    expect(() => encodeEntry(broken)).toThrow("Expected text or a list of parts at `content`");
  });
});
