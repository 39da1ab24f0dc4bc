import { action, assistantMessage, observation, userMessage } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { counter } from "../../test-support/quarter-counter.ts";
import { extractiveSummary } from "../extractive/extractive-summary.ts";
import { chanceOfConclusion } from "./chance-of-return.ts";

describe("what an agent told of the work", () => {
  const cause =
    "The prices were wrong because the cart rounded each line before the discount was applied.";
  const names = Array.from({ length: 600 }, (_, index) => `roundPriceOf${index}Items`);
  const history = [
    userMessage({ id: "u", content: "Find out why the prices are wrong." }),
    action({
      id: "a",
      toolCalls: [{ id: "1", name: "read", arguments: '{"path":"src/cart.ts"}' }],
    }),
    observation({
      id: "o",
      callId: "1",
      toolName: "read",
      outcome: "success",
      content: names.join("\n"),
    }),
    assistantMessage({ id: "m", content: `Let me look at the cart again now. ${cause} All done.` }),
  ];

  it("stands in a roomy summary beside any number of names", () => {
    const { text } = extractiveSummary(history, { maxTokens: 2500, counter });
    expect(text).toContain(`Agent: ${cause}`);
  });

  it("is a conclusion, and no question or intention", () => {
    const said = { index: 3, isAnswer: true };
    expect(chanceOfConclusion(cause, said, 4)).toBeGreaterThan(0.4);
    expect(chanceOfConclusion("Shall I now fix the cart because of that bug?", said, 4)).toBe(0);
    expect(chanceOfConclusion("Let me fix the bug in the cart now.", said, 4)).toBe(0);
    expect(chanceOfConclusion("All tests passed.", said, 4)).toBe(0);
  });
});
