import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { removeFromText } from "./remove-from-text.ts";
import { markerCleaner } from "./text-cleaners.ts";

async function clean(text: string, open = "[[", close = "]]"): Promise<string> {
  return (await removeFromText(text, { cleaners: [markerCleaner({ name: "m", open, close })] }))
    .text;
}

/** Takes away innermost pairs until there is none. */
function cleanFromInside(text: string): string {
  const innermost = text.replaceAll(/\([^()]*\)/g, "");
  return innermost === text ? text : cleanFromInside(innermost);
}

describe("markerCleaner", () => {
  it("cuts what one would cut pair by pair from the inside", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("(", ")", "x", " "), { maxLength: 24 }),
        async (pieces) => {
          const text = pieces.join("");

          expect(await clean(text, "(", ")")).toBe(cleanFromInside(text));
        },
      ),
      { numRuns: lawRuns(2000) },
    );
  });

  it("cuts exactly from marker to marker, with no white space around", async () => {
    expect(await clean("a [[b]] c [[d]]\n")).toBe("a  c \n");
  });

  it("takes markers for plain text and never for a pattern", async () => {
    expect(await clean("a.b.*c)d", "(", ".*")).toBe("a.b.*c)d");
    expect(await clean("a$(.*)b^$c", "$(.*)", "^$")).toBe("ac");
  });

  it("cuts nothing from a marker without partner", async () => {
    expect(await clean("a]]b[[c")).toBe("a]]b[[c");
  });

  it.each([
    ["", "]]"],
    ["[[", ""],
    ["%%", "%%"],
    ["[x", "[x]"],
    ["[x]", "[x"],
  ])("refuses %j with %j", async (open, close) => {
    expect(() => markerCleaner({ name: "m", open, close })).toThrow(
      expect.objectContaining({ code: "INVALID_OPTION" }),
    );
  });
});
