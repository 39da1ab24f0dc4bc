import { describe, expect, it } from "vitest";

import { generateCase } from "./generate-case.ts";
import { runCase } from "./run-case.ts";

const cases = Array.from({ length: 400 }, (_, seed) => generateCase(seed));

describe("generateCase", () => {
  it("makes the same case of the same seed", () => {
    const some = cases.slice(0, 50);
    expect(JSON.stringify(some.map(({ seed }) => generateCase(seed)))).toBe(JSON.stringify(some));
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
    expect(new Set(calls.map(({ options }) => options.viewer?.agentId)).size).toBeGreaterThan(3);
    expect(new Set(calls.map(({ options }) => options.scorer?.name)).size).toBe(4);
    expect(calls.some(({ recheck }) => recheck)).toBe(true);
  });
});

describe("runCase", () => {
  it("finds nothing in a sound fit, and the same again", () => {
    for (const one of cases.slice(0, 20)) expect([runCase(one), runCase(one)]).toEqual([[], []]);
  });
});
