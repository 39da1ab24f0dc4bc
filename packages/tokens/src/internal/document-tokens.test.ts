import type { FilePart } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { documentTokens } from "./document-tokens.ts";

const countCharacters = (text: string): number => text.length;

describe("documentTokens", () => {
  it.each([
    "text/plain",
    "text/csv",
    "application/json",
    "application/ld+json; charset=utf-8",
    "TEXT/HTML",
  ])("counts a file of %s by its text", (mediaType) => {
    expect(tokens({ mediaType, source: data("\uFEFFNaïve, 漢字") })).toBe(10);
  });

  it("counts a file that is here as text by it", () => {
    expect(tokens({ source: { kind: "text", text: "Hello" } })).toBe(5);
  });

  it("counts other bytes a token for every four, and at least one page", () => {
    const pdf = { mediaType: "application/pdf" };

    expect(tokens({ ...pdf, source: data("x".repeat(500_000)) })).toBeGreaterThanOrEqual(125_000);
    expect(tokens({ ...pdf, source: data("x".repeat(500_000)) })).toBeLessThan(125_010);
    expect(tokens({ ...pdf, source: data("%PDF") })).toBe(4568);
    expect(tokens({ source: data("plain, but it does not say so") })).toBe(4568);
  });

  it("counts a file that is elsewhere as a research paper", () => {
    expect(tokens({ source: { kind: "url", url: "https://example.org/a.pdf" } })).toBe(125_000);
    expect(tokens({ source: { kind: "id", id: "f1" }, mediaType: "text/plain" })).toBe(125_000);
  });

  it("counts by length what claims to be base64 and is not", () => {
    const source = { kind: "data", base64: "not base64!" } as const;

    expect(tokens({ mediaType: "text/plain", source })).toBe(4568);
  });
});

function tokens(fields: Omit<FilePart, "type">): number {
  return documentTokens({ type: "file", ...fields }, countCharacters);
}

function data(text: string): FilePart["source"] {
  return { kind: "data", base64: Buffer.from(text, "utf8").toString("base64") };
}
