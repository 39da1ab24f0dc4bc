import { assistantMessage } from "@agent-history/core";
import type { Content, JsonValue } from "@agent-history/core";
import { arbitraryText, lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { historyCleaner } from "./history-cleaner.ts";
import { metadataSpanCleaner } from "./metadata-span-cleaner.ts";
import type { AddedSpan } from "./metadata-span-cleaner.ts";
import { removeFromText } from "./remove-from-text.ts";

const cleaner = historyCleaner({ cleaners: [metadataSpanCleaner({ key: "added" })] });

function clean(content: Content, added: JsonValue): ReturnType<typeof cleaner.clean> {
  return cleaner.clean([assistantMessage({ id: "a", content, metadata: { added } })]);
}

function contentOf(entries: ReturnType<typeof cleaner.clean>["entries"]): unknown {
  return entries.map((entry) => "content" in entry && entry.content);
}

describe("metadataSpanCleaner", () => {
  it("gives back what the model wrote, however often the same was added", () => {
    const texts = fc.tuple(
      fc.constantFrom("Paris.", "XX", "XXa", "x<t>b</t>"),
      arbitraryText({ maxLength: 20 }).filter((text) => text !== ""),
      fc.nat(9),
    );
    fc.assert(
      fc.property(texts, ([written, addition, index]) => {
        const start = Math.min(index, written.length);
        const shown = written.slice(0, start) + addition + written.slice(start);
        const end = start + addition.length;
        const added = [{ start, end, textLength: shown.length }];

        const once = clean(shown, added);
        const twice = cleaner.clean(once.entries);

        expect(contentOf(once.entries)).toEqual([written]);
        expect(twice).toEqual({ entries: once.entries, cuts: [], failures: [] });
      }),
      { numRuns: lawRuns(1000) },
    );
  });

  it("finds the part that a record is of", () => {
    const content = [
      { type: "text", text: "abc" },
      { type: "text", text: "abc" },
    ] as const;
    const added: AddedSpan[] = [{ start: 1, end: 2, textLength: 3, partIndex: 1 }];

    const { entries, cuts } = clean(content, added);

    expect(contentOf(entries)).toEqual([[content[0], { type: "text", text: "ac" }]]);
    expect(cuts).toEqual([{ entryId: "a", partIndex: 1, cleaner: "added", start: 1, end: 2 }]);
  });

  it("cuts nothing by a record of a text of another length", () => {
    const added: AddedSpan[] = [{ start: 1, end: 2, textLength: 4 }];

    expect(clean("abc", added)).toMatchObject({ cuts: [], failures: [] });
  });

  it.each<[string, JsonValue]>([
    ["no list", "added"],
    ["a list of something else", [null]],
    ["a list with half a record", [{ start: 1, textLength: 3 }]],
    ["a span out of the text", [{ start: 1, end: 9, textLength: 3 }]],
  ])("fails on %s, and leaves the text", (_, added) => {
    const { entries, failures } = clean("abc", added);

    expect(contentOf(entries)).toEqual(["abc"]);
    expect(failures.map((failure) => failure.cleaner)).toEqual(["added"]);
  });

  it("cuts nothing where there is no record, no metadata or no entry", () => {
    const answers = [
      assistantMessage({ content: "abc", metadata: {} }),
      assistantMessage({ content: "abc" }),
    ];
    const cleaners = [metadataSpanCleaner({ key: "added" })];

    expect(cleaner.clean(answers)).toEqual({ entries: answers, cuts: [], failures: [] });
    expect(removeFromText("abc", { cleaners }).text).toBe("abc");
  });

  it("refuses an empty key", () => {
    expect(() => metadataSpanCleaner({ key: "" })).toThrow(
      expect.objectContaining({ code: "INVALID_OPTION" }),
    );
  });
});
