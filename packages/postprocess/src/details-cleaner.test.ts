import { describe, expect, it } from "vitest";

import { detailsCleaner } from "./details-cleaner.ts";
import { removeFromText } from "./remove-from-text.ts";

describe("detailsCleaner", () => {
  it("cuts folded blocks", () => {
    const shown = "42.\n\n<details open>\n<summary>Code</summary>\n6 * 7\n</details>";

    expect(removeFromText(shown, { cleaners: [detailsCleaner()] }).text).toBe("42.");
  });
});
