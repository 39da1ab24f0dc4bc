import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { calibratedCounter } from "../calibrated-counter.ts";
import { estimatingCounter } from "../estimating-counter.ts";
import { tiktokenCounter } from "../tiktoken-counter.ts";

const exact = tiktokenCounter({ encoding: "o200k_base" });

describe("dividedLimit", () => {
  it("keeps the meaning of a limit for counters that multiply", () => {
    const units = fc.constantFrom("The agent reads. ", "漢ABC", "12 ", "a");
    const texts = fc.tuple(units, fc.integer({ min: 0, max: 4000 }));
    const factors = fc.double({ min: 0.3, max: 3, noNaN: true });
    const shares = fc.double({ min: 0, max: 1.3, noNaN: true });
    fc.assert(
      fc.property(texts, factors, shares, ([unit, times], factor, share) => {
        const calibration = { factor, observations: [] };
        for (const counter of [
          calibratedCounter(exact, { calibration }),
          estimatingCounter({ family: "gemini", counter: exact, factor }),
        ]) {
          const text = unit.repeat(times);
          const whole = counter.countText(text);
          const atMost = Math.floor(whole * share);
          const count = counter.countText(text, { atMost });

          if (whole <= atMost) expect(count).toBe(whole);
          else expect(count > atMost && count <= whole).toBe(true);
        }
      }),
      { numRuns: lawRuns(60) },
    );
  });
});
