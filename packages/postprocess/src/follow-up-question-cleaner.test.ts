import { describe, expect, it } from "vitest";

import { followUpQuestionCleaner } from "./ready-cleaners.ts";
import { removeFromText } from "./remove-from-text.ts";

describe("followUpQuestionCleaner", () => {
  it("cuts every suggested question", () => {
    const question = "<follow-up-question>And then?</follow-up-question>";
    const shown = `Paris.\n\n${question}\n${question}`;

    expect(removeFromText(shown, { cleaners: [followUpQuestionCleaner()] }).text).toBe("Paris.");
  });
});
