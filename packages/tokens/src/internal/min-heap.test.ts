import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createMinHeap } from "./min-heap.ts";

describe("createMinHeap", () => {
  it("gives back the least key of those that wait, whatever came and went before", () => {
    // A number is pushed, `undefined` takes one out.
    const steps = fc.array(fc.option(fc.nat(50), { nil: undefined, freq: 3 }), { maxLength: 60 });
    fc.assert(
      fc.property(steps, fc.nat(4), (keys, capacity) => {
        const heap = createMinHeap(capacity);
        const waiting: number[] = [];
        const taken: (number | undefined)[] = [];
        const expected: (number | undefined)[] = [];
        for (const key of keys) {
          if (key === undefined) {
            taken.push(heap.pop());
            expected.push(waiting.shift());
          } else {
            heap.push(key);
            waiting.push(key);
            waiting.sort((a, b) => a - b);
          }
        }
        expect(taken).toEqual(expected);
      }),
      { numRuns: lawRuns(1000) },
    );
  });
});
