import { describe, expect, it } from "vitest";

import { generateCase } from "./generate-case.ts";
import { runShare } from "./run-share.ts";

const cases = Array.from({ length: 400 }, (_, seed) => generateCase(seed));

describe("generateCase", () => {
  it("makes the same case of the same seed", () => {
    for (const one of cases.slice(0, 50)) expect(generateCase(one.seed)).toEqual(one);
  });

  it("changes old messages in about a third of the cases", () => {
    const share = cases.filter(({ isEdited }) => isEdited).length / cases.length;
    expect(share).toBeGreaterThan(0.25);
    expect(share).toBeLessThan(0.42);
  });

  it("has every kind of history, plans through JSON and damaged ones, viewers and scorers", () => {
    const calls = cases.flatMap((one) => one.calls);
    expect(new Set(cases.map(({ kind }) => kind)).size).toBe(6);
    expect(new Set(cases.map(({ form }) => form)).size).toBe(3);
    expect(new Set(calls.map(({ plan }) => plan)).size).toBe(4);
    expect(new Set(calls.map(({ viewerId }) => viewerId)).size).toBeGreaterThan(3);
    expect(new Set(calls.map(({ scorer }) => scorer)).size).toBe(4);
    expect(calls.some(({ recheck }) => recheck)).toBe(true);
  });
});

describe("runShare", () => {
  it("comes to the same findings again", () => {
    const share = { seed: 1, number: 0, from: 0, to: 20 };
    expect(runShare(share)).toEqual(runShare(share));
  });
});
