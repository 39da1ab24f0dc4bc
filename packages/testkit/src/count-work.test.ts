import { groupExchanges } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { countWork } from "../test-support/count-work.ts";

describe("countWork", () => {
  it("gives the same count for the same input, and more for more", () => {
    const work = (count: number): number => {
      const history = messages(count);
      return countWork(() => groupExchanges(history));
    };

    work(10);
    expect(work(100)).toBe(work(100));
    expect(work(1000)).toBeGreaterThan(9 * work(100));
    expect(work(1000)).toBeLessThan(11 * work(100));
  });

  it.each<[string, (numbers: readonly number[]) => unknown]>([
    ["searches", (numbers) => numbers.map((one) => numbers.includes(-one - 1))],
    ["copies by spreading", (numbers) => numbers.map(() => [...numbers])],
    ["copies", (numbers) => numbers.map(() => numbers.slice())],
    ["arguments", (numbers) => numbers.map(() => Math.max(...numbers))],
    ["sets", (numbers) => numbers.map(() => new Set(numbers))],
    ["queues", (numbers) => numbers.map(() => [...numbers].shift())],
    ["what moves", (numbers) => numbers.map(() => [...numbers].splice(0, 1))],
  ])("counts the elements of %s that the language walks over", (_, run) => {
    const work = (count: number): number => {
      const numbers = Array.from({ length: count }, (__, nth) => nth);
      return countWork(() => run(numbers));
    };

    expect(work(100)).toBeGreaterThanOrEqual(100 ** 2);
    expect(work(400)).toBeGreaterThan(10 * work(100));
  });

  it("leaves the language as it was, also where the function throws", () => {
    const { slice } = Array.prototype;
    const iterator: object = Object.getPrototypeOf([].values());
    const next: unknown = Reflect.get(iterator, "next");
    const fails = (): void => {
      throw new Error("on purpose");
    };

    expect(() => countWork(fails)).toThrow("on purpose");
    expect(Array.prototype.slice).toBe(slice);
    expect(Reflect.get(iterator, "next")).toBe(next);
  });
});

function messages(count: number): readonly HistoryEntry[] {
  return Array.from({ length: count }, (_, nth) => ({
    type: "user_message",
    id: `u${nth}`,
    createdAtMs: 0,
    content: "",
  }));
}
