import { describe, expect, it } from "vitest";

import { differs, takeTurns, timingOf } from "./take-turns.ts";

describe("takeTurns", () => {
  it("lets each begin as often as the other, and runs nothing again that is steady", async () => {
    const order: string[] = [];
    const one = (name: string, ms: number) => (): number => {
      order.push(name);
      return ms;
    };
    const [first, second] = await takeTurns([one("a", 1), one("b", 4)], 4);
    expect(order.join("")).toBe("abbaabba");
    expect(first).toMatchObject({ minMs: 1, medianMs: 1, meanMs: 1, isUnsteady: false });
    expect(second).toMatchObject({ minMs: 4, medianMs: 4, isUnsteady: false });
  });

  it("runs what differs between its halves again, alone, and counts its last run", async () => {
    const times = [1, 1, 9, 9, 2, 2, 2, 2];
    let steadyRuns = 0;
    const [shaken, steady] = await takeTurns(
      [
        async () => times.shift() ?? Number.NaN,
        () => {
          steadyRuns += 1;
          return 1;
        },
      ],
      4,
    );
    expect(shaken).toMatchObject({ minMs: 2, medianMs: 2, isUnsteady: false });
    expect(steady?.isUnsteady).toBe(false);
    expect(steadyRuns).toBe(4);
  });

  it("says what is unsteady after two more runs", async () => {
    let nth = 0;
    const [shaken] = await takeTurns([() => (nth++ % 4 < 2 ? 1 : 2)], 4);
    expect(nth).toBe(12);
    expect(shaken?.isUnsteady).toBe(true);
  });
});

describe("differs", () => {
  it("holds the medians of both halves against each other", () => {
    expect(differs([3, 3, 100, 4, 4, 4])).toBe(false);
    expect(differs([3, 3, 3, 4.1, 4.1, 4.1])).toBe(true);
    expect(timingOf([2, 4]).meanMs).toBe(3);
  });
});
