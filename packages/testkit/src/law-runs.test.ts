import { afterEach, describe, expect, it, vi } from "vitest";

import { lawRuns } from "./law-runs.ts";

describe("lawRuns", () => {
  afterEach(() => vi.unstubAllEnvs());

  it.each([
    [undefined, 200, 200],
    ["", 200, 200],
    ["10", 200, 2000],
    ["0.1", 200, 20],
    ["0.001", 200, 1],
    ["1.5", 3, 5],
  ])("with LAW_RUNS=%s makes %i runs %i", (given, usual, runs) => {
    vi.stubEnv("LAW_RUNS", given);

    expect(lawRuns(usual)).toBe(runs);
  });

  it.each(["many", "0", "-1", "Infinity", "NaN"])("refuses LAW_RUNS=%s", (given) => {
    vi.stubEnv("LAW_RUNS", given);

    expect(() => lawRuns(100)).toThrow(`got "${given}"`);
  });
});
