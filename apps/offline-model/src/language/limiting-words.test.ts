import { describe, expect, it } from "vitest";

import { keepsLimits } from "./limiting-words.ts";

describe("keepsLimits", () => {
  it("tells what is said of some from what is asked of all", () => {
    expect(keepsLimits("How do I close all valves?", "To close valves, turn them.")).toBe(false);
    expect(keepsLimits("How do I close all valves?", "To close every valve, turn it.")).toBe(true);
  });

  it("tells before from after", () => {
    expect(keepsLimits("What runs before the pump?", "The fan runs after the pump.")).toBe(false);
    expect(keepsLimits("What runs before the pump?", "The fan runs prior to the pump.")).toBe(true);
  });
});
