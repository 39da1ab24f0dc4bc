import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { spreadScores } from "./spread-scores.ts";

describe("spreadScores", () => {
  it("adds to each score those of all others, times the share to the power of their distance", () => {
    const scores = fc.array(fc.double({ min: 0, max: 10, noNaN: true }), { maxLength: 40 });
    const shares = fc.double({ min: 0, max: 0.95, noNaN: true });
    fc.assert(
      fc.property(scores, shares, (given, share) => {
        const expected = given.map((_, index) =>
          given.reduce((sum, score, other) => sum + score * share ** Math.abs(index - other), 0),
        );
        expect(spreadScores(given, share)).toEqual(
          expected.map((score) => expect.closeTo(score, 8)),
        );
      }),
      { numRuns: lawRuns(1000) },
    );
  });
});
