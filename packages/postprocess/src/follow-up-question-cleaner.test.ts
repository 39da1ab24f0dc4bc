import { describe, expect, it } from "vitest";

import { removeFromText } from "./remove-from-text.ts";
import { followUpQuestionCleaner } from "./text-cleaners.ts";

describe("followUpQuestionCleaner", () => {
  it("cuts every suggested question", async () => {
    const question = "<follow-up-question>And then?</follow-up-question>";
    const shown = `Paris.\n\n${question}\n${question}`;

    expect((await removeFromText(shown, { cleaners: [followUpQuestionCleaner()] })).text).toBe(
      "Paris.",
    );
  });
});
