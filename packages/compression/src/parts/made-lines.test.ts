import { action, assistantMessage, observation, userMessage } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { counter } from "../../test-support/quarter-counter.ts";
import { extractiveSummary } from "../extractive/extractive-summary.ts";

const pages = Array.from({ length: 40 }, (_, index) => `https://docs.example/page/${index}`);
const history = [
  userMessage({ id: "u", content: "Fix the prices, then open a pull request." }),
  action({ id: "a", toolCalls: [{ id: "1", name: "search", arguments: '{"query":"rounding"}' }] }),
  observation({
    id: "o",
    callId: "1",
    toolName: "search",
    outcome: "success",
    content: `${pages.join("\n")}\n0ddba11f seen elsewhere`,
  }),
  assistantMessage({ id: "m1", content: "Committed as `22c57db7`, the tree is clean." }),
  assistantMessage({ id: "m2", content: "PR created: https://git.example/shop/pull/201" }),
];

describe("commits and links", () => {
  it("stand in a small summary where an agent named them to its user, not where a result lists them", () => {
    const { text } = extractiveSummary(history, { maxTokens: 60, counter });

    expect(text).toContain("Commits and links: https://git.example/shop/pull/201 22c57db7");
    expect(text).not.toMatch(/^Commits and links: .*(?:docs\.example|0ddba11f)/m);
  });
});
