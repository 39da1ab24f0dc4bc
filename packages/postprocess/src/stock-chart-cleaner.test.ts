import { describe, expect, it } from "vitest";

import { stockChartCleaner } from "./ready-cleaners.ts";
import { removeFromText } from "./remove-from-text.ts";

describe("stockChartCleaner", () => {
  it("cuts charts and leaves other code", () => {
    const shown = 'It rose.\n\n```financialChart\n{"ticker":"AAPL"}\n```\n\n```js\n1\n```';

    expect(removeFromText(shown, { cleaners: [stockChartCleaner()] }).text).toBe(
      "It rose.\n\n```js\n1\n```",
    );
  });
});
