import { action, observation, userMessage } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { counter } from "../../test-support/quarter-counter.ts";
import { extractiveSummary } from "../extractive/extractive-summary.ts";

const long = "Please look at the prices of the shop again, and at all that depends on them, ";
const asked = Array.from({ length: 4 }, (_, index) =>
  userMessage({ id: `u${index}`, content: `${long}${"then at the next. ".repeat(index + 4)}` }),
);
const used = Array.from(
  { length: 30 },
  (_, index) => `src/shop/prices/part-${index}/index-${index}.ts`,
);
const history = [
  ...asked,
  action({
    id: "a",
    toolCalls: used.map((path, id) => {
      return { id: `${id}`, name: "Read", arguments: JSON.stringify({ file_path: path }) };
    }),
  }),
  observation({
    id: "o",
    callId: "0",
    toolName: "Read",
    outcome: "success",
    content: "import '../tax/rounding-of-tax.ts';",
  }),
];

describe("files that were only mentioned", () => {
  it("stand in a small summary by their last part, also where users and files of calls would fill it", () => {
    const { text } = extractiveSummary(history, { maxTokens: 300, counter });

    expect(text).toMatch(/^Other files: .*\brounding-of-tax\.ts$/m);
  });

  it("are named once: a file whose path is told has no name of its own beside it", () => {
    const { text } = extractiveSummary(history, { maxTokens: 2000, counter });

    expect(text.match(/\brounding-of-tax\.ts\b/g)).toHaveLength(1);
  });
});
