import { describe, expect, it } from "vitest";

import { DEFAULT_WINDOWS, roleWindows } from "./role-windows.ts";

describe("roleWindows", () => {
  it("gives each role its part of one number, an eighth of it for the reply", () => {
    expect(roleWindows([8_000])).toEqual(DEFAULT_WINDOWS);
    expect(DEFAULT_WINDOWS).toEqual({
      orchestrator: { contextTokens: 8_000, outputReserveTokens: 1_000 },
      manager: { contextTokens: 4_000, outputReserveTokens: 500 },
      worker: { contextTokens: 3_000, outputReserveTokens: 375 },
    });
    expect(roleWindows([9_000, 5_000, 1_000]).manager.contextTokens).toBe(5_000);
  });

  it.each([[[]], [[0]], [[1.5]], [[-1]], [[Number.NaN]], [[1, 2]], [[1, 2, 3, 4]]])(
    "refuses %j",
    (tokens) => {
      expect(() => roleWindows(tokens)).toThrow(/Expected a window in tokens/);
    },
  );
});
