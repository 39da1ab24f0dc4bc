import { describe, expect, it } from "vitest";

import { removeFromText } from "./remove-from-text.ts";
import { stockChartCleaner } from "./text-cleaners.ts";

describe("stockChartCleaner", () => {
  it("cuts charts and leaves other code", async () => {
    const shown = 'It rose.\n\n```financialChart\n{"ticker":"AAPL"}\n```\n\n```js\n1\n```';

    expect((await removeFromText(shown, { cleaners: [stockChartCleaner()] })).text).toBe(
      "It rose.\n\n```js\n1\n```",
    );
  });
});
