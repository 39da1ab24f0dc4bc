import { describe, expect, it } from "vitest";

import { subAgentCleaner } from "./ready-cleaners.ts";
import { removeFromText } from "./remove-from-text.ts";

describe("subAgentCleaner", () => {
  it("cuts what sub-agents said, those of a sub-agent included", () => {
    const inner = '<sub-agent name="b">two</sub-agent>';
    const shown = `<sub-agent name="a">one ${inner}</sub-agent>Three.`;

    expect(removeFromText(shown, { cleaners: [subAgentCleaner()] }).text).toBe("Three.");
  });
});
