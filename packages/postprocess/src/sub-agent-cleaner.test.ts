import { describe, expect, it } from "vitest";

import { removeFromText } from "./remove-from-text.ts";
import { subAgentCleaner } from "./text-cleaners.ts";

describe("subAgentCleaner", () => {
  it("cuts what sub-agents said, those of a sub-agent included", async () => {
    const inner = '<sub-agent name="b">two</sub-agent>';
    const shown = `<sub-agent name="a">one ${inner}</sub-agent>Three.`;

    expect((await removeFromText(shown, { cleaners: [subAgentCleaner()] })).text).toBe("Three.");
  });
});
