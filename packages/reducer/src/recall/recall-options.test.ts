import { describe, expect, it } from "vitest";

import { errorOf } from "../../test-support/character-counter.ts";
import { grow, question } from "../../test-support/growing-chat.ts";
import { fitToWindow } from "../fit-to-window.ts";
import { recallBlocks } from "./recall-blocks.ts";
import type { RecallBlocksOptions } from "./recall-blocks.ts";

describe("recallBlocks, with options that fail", () => {
  it.each([Number.NaN, -0.1, 1.1, Infinity])("refuses an `asks` that returns %s", (share) => {
    const error = errorOf(() => askWith({ asks: () => share }));
    expect(error).toMatchObject({ code: "INVALID_OPTION", details: { option: "asks" } });
  });

  it("names an `asks` that throws, with what it threw", () => {
    const cause = new TypeError("Not today.");
    const asks = (): number => {
      throw cause;
    };
    const error = errorOf(() => askWith({ asks }));
    expect(error).toMatchObject({ code: "STEP_FAILED", details: { step: "asks" }, cause });
  });
});

function askWith(settings: RecallBlocksOptions): void {
  const { history, plan, options } = grow();
  const asked = history.concat(question("q", "Who repaired the kayak?"));
  fitToWindow(asked, { ...options, recall: recallBlocks(settings), previousPlan: plan });
}
