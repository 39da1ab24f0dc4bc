import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryId } from "./arbitrary-id.ts";

describe("arbitraryId", () => {
  const ids = fc.sample(arbitraryId(), { numRuns: 5000, seed: 1 });

  it("gives texts of one character or more, which every encoding can write", () => {
    expect(ids.filter((id) => id.length === 0 || /\p{Surrogate}/u.test(id))).toEqual([]);
  });

  it.each(["__proto__", "constructor", "{}", "*", " ", '"', "'", "👍", "\u2028", "\u0000"])(
    "gives %j",
    (id) => {
      expect(ids).toContain(id);
    },
  );

  it("gives very long ids", () => {
    expect(ids.some((id) => id.length >= 1000)).toBe(true);
  });

  it("gives ids that no list holds", () => {
    expect(new Set(ids).size).toBeGreaterThan(500);
  });
});
