import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { markerCleaner } from "./marker-cleaner.ts";
import { removeFromText } from "./remove-from-text.ts";

function clean(text: string, open = "[[", close = "]]"): string {
  return removeFromText(text, { cleaners: [markerCleaner({ name: "m", open, close })] }).text;
}

/** Takes away innermost pairs until there is none. */
function cleanFromInside(text: string): string {
  const innermost = text.replaceAll(/\([^()]*\)/g, "");
  return innermost === text ? text : cleanFromInside(innermost);
}

describe("markerCleaner", () => {
  it("cuts what one would cut pair by pair from the inside", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("(", ")", "x", " "), { maxLength: 24 }), (pieces) => {
        const text = pieces.join("");

        expect(clean(text, "(", ")")).toBe(cleanFromInside(text));
      }),
      { numRuns: lawRuns(2000) },
    );
  });

  it("cuts exactly from marker to marker, with no white space around", () => {
    expect(clean("a [[b]] c [[d]]\n")).toBe("a  c \n");
  });

  it("takes markers for plain text and never for a pattern", () => {
    expect(clean("a.b.*c)d", "(", ".*")).toBe("a.b.*c)d");
    expect(clean("a$(.*)b^$c", "$(.*)", "^$")).toBe("ac");
  });

  it("cuts nothing from a marker without partner", () => {
    expect(clean("a]]b[[c")).toBe("a]]b[[c");
  });

  it.each([
    ["", "]]"],
    ["[[", ""],
    ["%%", "%%"],
    ["[x", "[x]"],
    ["[x]", "[x"],
  ])("refuses %j with %j", (open, close) => {
    expect(() => markerCleaner({ name: "m", open, close })).toThrow(
      expect.objectContaining({ code: "INVALID_OPTION" }),
    );
  });
});
