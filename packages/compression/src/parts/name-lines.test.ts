import { action, observation, userMessage } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { counter } from "../../test-support/quarter-counter.ts";
import { extractiveSummary } from "../extractive/extractive-summary.ts";

function called(id: string, args: object, content: string): readonly HistoryEntry[] {
  return [
    action({ id: `a${id}`, toolCalls: [{ id, name: "tool", arguments: JSON.stringify(args) }] }),
    observation({ id: `o${id}`, callId: id, toolName: "tool", outcome: "success", content }),
  ];
}

const seen = Array.from({ length: 60 }, (_, index) => `readValue${"abcdef"[index % 6]}Of${index}`);
const history = [
  userMessage({ id: "u", content: "Please find out why prices are wrong." }),
  ...called(
    "1",
    { command: "grep -rn roundPriceUp . | jq .unit_price" },
    '[{"unit_price":3},{"unit_price":4},{"unit_price":5}]',
  ),
  ...called("2", { file_path: "src/values.ts" }, seen.join(" ")),
];

describe("names of code in a summary", () => {
  it("begin with those that the agent has looked for, not with those that it saw last", () => {
    const { text } = extractiveSummary(history, { maxTokens: 60, counter });

    expect(text).toMatch(/^Names.*roundPriceUp/m);
  });

  it("include keys of data that the agent has looked for", () => {
    const { text } = extractiveSummary(history, { maxTokens: 60, counter });

    expect(text).toMatch(/^Names.*unit_price/m);
  });
});
