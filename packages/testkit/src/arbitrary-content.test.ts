import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryContent } from "./arbitrary-content.ts";

describe("arbitraryContent", () => {
  const contents = fc.sample(arbitraryContent(), { numRuns: 3000, seed: 1 });
  const parts = contents.flatMap((content) => (typeof content === "string" ? [] : content));

  it.each(["text", "image", "file", "reasoning", "opaque"])("gives parts of type %s", (type) => {
    const ofType = parts.filter((part) => part.type === type);

    expect(ofType.some((part) => part.extra === undefined)).toBe(true);
    expect(ofType.some((part) => part.extra !== undefined)).toBe(true);
  });

  it("gives texts, and contents without any part", () => {
    expect(contents.some((content) => typeof content === "string")).toBe(true);
    expect(contents.some((content) => content.length === 0 && content !== "")).toBe(true);
  });

  it("gives every kind of media source", () => {
    const kinds = parts.flatMap((part) => ("source" in part ? [part.source.kind] : []));

    expect(new Set(kinds)).toEqual(new Set(["id", "url", "data", "text"]));
  });

  it("gives what JSON can hold", () => {
    expect(JSON.parse(JSON.stringify(contents))).toEqual(contents);
  });

  it("keeps to the constraints of its texts", () => {
    const short = fc.sample(arbitraryContent({ maxLength: 5, loneSurrogates: false }), 2000);
    const texts = short.flatMap((content) =>
      typeof content === "string"
        ? [content]
        : content.flatMap((part) => ("text" in part ? part.text : [])),
    );

    expect(texts.filter((text) => text.length > 5 || /\p{Surrogate}/u.test(text))).toEqual([]);
  });

  it("shrinks to the empty text", () => {
    for (let seed = 0; seed < 100; seed++) {
      const { counterexample } = fc.check(
        fc.property(arbitraryContent(), () => false),
        { seed },
      );
      expect(counterexample).toEqual([""]);
    }
  });
});
