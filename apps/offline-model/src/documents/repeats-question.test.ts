import { describe, expect, it } from "vitest";

import type { Document } from "./document.ts";
import { repeatsQuestion } from "./repeats-question.ts";

const QUESTION = "How does a worker's filter decide what it sees?";

describe("repeatsQuestion", () => {
  it("knows the question whatever its case, punctuation and line breaks", () => {
    expect(
      repeatsQuestion(document(`ask("how does a worker’s filter decide what it sees")`), QUESTION),
    ).toBe(true);
    expect(
      repeatsQuestion(
        document(" * How does a worker's", " * filter DECIDE what it sees?"),
        QUESTION,
      ),
    ).toBe(true);
  });

  it("lets pass what only speaks of the same thing", () => {
    const text = "A worker's filter decides what it sees.";

    expect(repeatsQuestion(document(text), QUESTION)).toBe(false);
    expect(repeatsQuestion(document(`${QUESTION}n`.replace("?", "")), QUESTION)).toBe(false);
  });

  it("takes a few words for a search term, which any source may repeat", () => {
    expect(repeatsQuestion(document("The worker's filter."), "worker's filter")).toBe(false);
    expect(repeatsQuestion(document("anything"), "???")).toBe(false);
  });
});

function document(...lines: readonly string[]): Document {
  return { path: "a.md", lines };
}
