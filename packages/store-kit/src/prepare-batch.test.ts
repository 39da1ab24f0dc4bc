import { assistantMessage, isHistoryError, summary, userMessage } from "@agent-history/core";
import { decodeEntry, encodeEntry } from "@agent-history/core/stored-form";
import { describe, expect, it } from "vitest";

import { isKnownBatch, prepareBatch } from "./prepare-batch.ts";

const hello = userMessage({ id: "u1", content: "Grüße 👍 \u{2028}" });

describe("prepareBatch", () => {
  it("gives the stored form of core/stored-form and its size in bytes", () => {
    const [prepared] = prepareBatch([hello]).entries;
    expect(prepared?.json).toBe(JSON.stringify(encodeEntry(hello)));
    expect(prepared?.bytes).toBe(new TextEncoder().encode(prepared?.json).length);
    expect(decodeEntry(prepared?.json)).toEqual(hello);
  });

  it("counts the bytes of long texts too", () => {
    const long = userMessage({ id: "u1", content: "日".repeat(30_000) });
    const { bytes, entries } = prepareBatch([long]);
    expect(bytes).toBe(new TextEncoder().encode(entries[0]?.json).length);
  });

  it("takes 500 entries and refuses 501", () => {
    const many = Array.from({ length: 501 }, (_, index) =>
      userMessage({ id: `u${index}`, content: "" }),
    );
    expect(prepareBatch(many.slice(1)).entries).toHaveLength(500);
    expect(codeOf(() => prepareBatch(many))).toBe("TOO_LARGE");
  });

  it("refuses an entry above 1,000,000 bytes, by bytes and not by characters", () => {
    const room =
      1_000_000 - prepareBatch([userMessage({ id: "u", createdAtMs: 0, content: "" })]).bytes;
    const fits = userMessage({ id: "u", createdAtMs: 0, content: "x".repeat(room) });
    expect(prepareBatch([fits]).bytes).toBe(1_000_000);
    const wide = { ...fits, content: `${"x".repeat(room - 1)}é` };
    expect(codeOf(() => prepareBatch([wide]))).toBe("TOO_LARGE");
  });

  it("refuses a batch above 4,000,000 bytes", () => {
    const large = Array.from({ length: 5 }, (_, index) =>
      userMessage({ id: `u${index}`, content: "x".repeat(900_000) }),
    );
    expect(codeOf(() => prepareBatch(large))).toBe("TOO_LARGE");
    expect(prepareBatch(large.slice(1)).entries).toHaveLength(4);
  });

  it("refuses an id that stands twice in it, a summary of a view and counts that are not one for each", () => {
    const overlay = summary({
      id: "s1",
      view: "thread",
      covers: [],
      content: "",
      strategy: "whole",
      trust: "tool",
    });
    expect(codeOf(() => prepareBatch([hello, hello]))).toBe("DUPLICATE_ID");
    expect(codeOf(() => prepareBatch([overlay]))).toBe("INVALID_ENTRY");
    const tokens = new Map([["counter", [1, 2]]]);
    expect(codeOf(() => prepareBatch([hello], { tokens }))).toBe("INVALID_OPTION");
  });
});

describe("isKnownBatch", () => {
  const answer = assistantMessage({ id: "a1", content: "Hi", metadata: { a: 1, b: 2 } });
  const batch = prepareBatch([hello, answer]);
  const stored = new Map(batch.entries.map(({ entry, json }) => [entry.id, json]));

  it("knows a batch that was written before, whatever the order of keys", () => {
    const turned = prepareBatch([{ ...answer, metadata: { b: 2, a: 1 } }]);
    expect(isKnownBatch(batch, stored)).toBe(true);
    expect(isKnownBatch(turned, stored)).toBe(true);
    expect(isKnownBatch(batch, new Map())).toBe(false);
  });

  it("refuses a batch that is known in part, or says something else", () => {
    const other = prepareBatch([{ ...hello, content: "Goodbye" }]);
    expect(codeOf(() => isKnownBatch(other, stored))).toBe("DUPLICATE_ID");
    stored.delete("a1");
    expect(codeOf(() => isKnownBatch(batch, stored))).toBe("DUPLICATE_ID");
  });
});

function codeOf(act: () => unknown): string | undefined {
  try {
    act();
  } catch (error) {
    return isHistoryError(error) ? error.code : undefined;
  }
  return undefined;
}
