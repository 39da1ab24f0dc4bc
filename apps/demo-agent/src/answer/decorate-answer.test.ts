import { assistantMessage } from "@agent-history/core";
import type { Source } from "@agent-history/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { answerCleaner } from "./answer-cleaner.ts";
import { decorateAnswer } from "./decorate-answer.ts";
import { hideMarks } from "./follow-up-questions.ts";

const SOURCES: readonly Source[] = [
  { number: 0, id: "a", text: "1| A", uri: "docs/a%20b.md#L1-L2", title: "Guide › Install" },
  { number: 3, id: "b", text: "1| B", uri: "src/b.ts#L5-L9", title: "openValve" },
];

describe("decorateAnswer", () => {
  it("lists where the citations can be opened, and asks about what was found and not cited", async () => {
    const { text } = await decorate("It opens. [source0]\n> as in [source3]");

    expect(hideMarks(text)).toBe(
      "It opens. [source0]\n> as in [source3]\n\nAsk next\n- What does openValve do?\n\nSources\n[source0] docs/a b.md:1-2",
    );
  });

  it("says of a number that was never given that there is no such source", async () => {
    const { text } = await decorate("Believe me. [source0, source9] [SOURCE0]");

    expect(text).toContain("[source0] docs/a b.md:1-2\n[source9] (no such source was found)");
    expect(text.match(/^\[source0\]/gm)).toHaveLength(1);
  });

  it("adds only what a prompt takes away again, whatever the model wrote", async () => {
    const { text: earlier } = await decorate("Earlier. [source0]");
    const written = fc.oneof(
      fc.string({ unit: "grapheme", minLength: 1 }).filter((text) => text.trim() !== ""),
      fc.constantFrom(
        earlier,
        `${earlier}${earlier}`,
        "Sources\n[source0] docs/a b.md:1-2",
        "[source3]",
      ),
    );
    await fc.assert(
      fc.asyncProperty(written, async (words) => {
        const { text, metadata } = await decorate(words);
        const entry = assistantMessage({ id: "a1", content: text, metadata });
        const { entries, failures } = answerCleaner.clean([entry]);

        expect(failures).toEqual([]);
        expect(entries).toMatchObject([{ content: words }]);
      }),
      { numRuns: 1_000 },
    );
  });
});

async function decorate(written: string): ReturnType<typeof decorateAnswer> {
  return decorateAnswer(written, {
    found: SOURCES,
    findSource: (number) => SOURCES.find((source) => source.number === number),
  });
}
