import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { readSourceUri, sourceUri } from "./source-uri.ts";

describe("sourceUri", () => {
  it("reads as a person writes it", () => {
    expect(sourceUri({ path: "packages/@a/b-c.test.ts", startLine: 3, endLine: 9 })).toBe(
      "packages/@a/b-c.test.ts#L3-L9",
    );
  });

  it("is read back as it was, whatever the path, and holds no space or bracket", () => {
    const location = fc.record({
      path: fc.string({ unit: "grapheme", minLength: 1 }).filter((path) => path.isWellFormed()),
      startLine: fc.integer({ min: 1 }),
      endLine: fc.integer({ min: 1 }),
    });
    fc.assert(
      fc.property(location, (given) => {
        expect(readSourceUri(sourceUri(given))).toEqual(given);
        expect(sourceUri(given)).not.toMatch(/[\s()]/);
      }),
      { numRuns: 1_000 },
    );
  });

  it("takes nothing else for a place", () => {
    expect(readSourceUri("https://example.org/a.md")).toBeUndefined();
    expect(readSourceUri("")).toBeUndefined();
    expect(readSourceUri("%zz#L1-L2")).toEqual({ path: "%zz", startLine: 1, endLine: 2 });
  });
});
