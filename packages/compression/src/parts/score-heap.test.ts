import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { scoreHeap } from "./score-heap.ts";

describe("scoreHeap", () => {
  it("gives back what it holds by its score, whatever is pushed between", () => {
    const step = fc.option(fc.integer({ min: -50, max: 50 }), { nil: undefined });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const heap = scoreHeap<number>();
        const held: number[] = [];
        for (const score of steps) {
          if (score !== undefined) {
            heap.push(score, score);
            held.push(score);
            continue;
          }
          held.sort((one, other) => one - other);
          expect(heap.best()).toBe(held.at(-1) ?? 0);
          expect(heap.pop()).toBe(held.pop());
        }
      }),
    );
  });
});
