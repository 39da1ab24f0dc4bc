import { userMessage } from "@agent-history/core";
import { arbitraryText, lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { editEntry } from "./edit-entry.ts";
import { textOfEntry } from "./internal/text-of-entry.ts";
import { shrinkJson } from "./shrink-text.ts";
import { shrinkText } from "./shrink-text.ts";

const RUNS = { numRuns: lawRuns(2000) };
const limits = fc.record({ head: fc.nat({ max: 80 }), tail: fc.nat({ max: 80 }) });
const MARKER = /(?:^|\n)\[… (\d+) characters left out …\](?:\n|$)/gu;

const LONE_SURROGATE = /\p{Surrogate}/u;

describe("shrinkText", () => {
  it("keeps head and tail around one marker that tells how much is gone", () => {
    fc.assert(
      fc.property(arbitraryText({ loneSurrogates: false }), limits, (text, given) => {
        fc.pre(!text.includes("characters left out"));
        const shrunk = shrinkText(text, given);
        const [marker, ...others] = [...shrunk.matchAll(MARKER)];
        if (marker === undefined) {
          expect(shrunk).toBe(text);
          return;
        }
        expect(others).toEqual([]);
        const head = shrunk.slice(0, marker.index);
        const tail = shrunk.slice(marker.index + marker[0].length);
        expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
        expect(head.length + tail.length + Number(marker[1])).toBe(text.length);
        expect(head.length <= given.head && tail.length <= given.tail).toBe(true);
        expect(shrunk.length).toBeLessThan(text.length);
        expect(LONE_SURROGATE.test(shrunk)).toBe(false);
      }),
      RUNS,
    );
  });

  it("does not stack markers: cutting again says what one cut would have said", () => {
    const text = "a".repeat(500) + "z".repeat(500);
    const once = shrinkText(text, { head: 100, tail: 100 });
    const twice = shrinkText(once, { head: 20, tail: 20 });
    expect(twice).toBe(shrinkText(text, { head: 20, tail: 20 }));
    expect(shrinkText(twice, { head: 20, tail: 20 })).toBe(twice);
  });

  it("cuts no word and no number in two, and what it keeps stands in the text as it stood", () => {
    const word = fc.constantFrom("port", "8410", "12,500.75", "lru-cache", "0x1f", "and", "größer");
    const gap = fc.constantFrom(" ", "\n", "  ");
    const texts = fc
      .array(fc.tuple(word, gap), { minLength: 20, maxLength: 80 })
      .map((pieces) => pieces.flat().join(""));
    const length = fc.integer({ min: 0, max: 200 });
    fc.assert(
      fc.property(texts, length, length, (text, head, tail) => {
        const shrunk = shrinkText(text, { head, tail });
        if (shrunk === text) return;
        const [kept = "", rest = ""] = shrunk.split(/\n?\[… \d+ characters left out …\]\n?/u);
        const words = text.split(/\s+/u);
        const [before, after] = [kept, rest].map((part) => part.split(/\s+/u).filter(Boolean));
        expect(kept.length).toBeLessThanOrEqual(head);
        expect(rest.length).toBeLessThanOrEqual(tail);
        expect(rest).not.toMatch(/^\s/u);
        expect(words.slice(0, before?.length)).toEqual(before);
        expect(words.filter(Boolean).slice(-(after?.length ?? 0) || Infinity)).toEqual(after);
      }),
    );
  });

  it("puts no empty line around a marker without head or tail", () => {
    const text = "word ".repeat(30);
    expect(shrinkText(text, { head: 0, tail: 0 })).toBe("[… 150 characters left out …]");
    expect(shrinkText(text, { head: 4, tail: 0 })).toBe("word\n[… 146 characters left out …]");
    expect(shrinkText(text, { head: 0, tail: 7 })).toBe("[… 145 characters left out …]\nword ");
  });

  it("does not split a pair of surrogates", () => {
    const text = "😀".repeat(100);
    expect(shrinkText(text, { head: 3, tail: 3 })).toBe("😀\n[… 196 characters left out …]\n😀");
  });
});

describe("editEntry", () => {
  it("writes no broken JSON, however little room is left", () => {
    const values = fc.array(fc.jsonValue({ maxDepth: 4 }), { minLength: 1 });
    fc.assert(
      fc.property(values, limits, (value, text) => {
        const content = JSON.stringify({ value, more: "x".repeat(300) });
        const cut = textOfEntry(editEntry(userMessage({ content }), { text }));
        expect(() => JSON.parse(cut)).not.toThrow();
        expect(cut.length).toBeLessThanOrEqual(Math.max(text.head + text.tail, 30));
      }),
      RUNS,
    );
  });
});

describe("shrinkJson", () => {
  it("keeps JSON valid, and makes it shorter", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.nat({ max: 200 }), (value, maxLength) => {
        const text = JSON.stringify([value, value, "x".repeat(300)]);
        const shrunk = shrinkJson(text, maxLength);
        expect(shrunk).toBeDefined();
        expect(() => JSON.parse(shrunk ?? "")).not.toThrow();
        expect(shrunk?.length).toBeLessThan(text.length);
      }),
      RUNS,
    );
  });

  it("says how many elements are left out", () => {
    expect(shrinkJson(JSON.stringify(Array.from({ length: 50 }, (_, nth) => nth)), 40)).toBe(
      '[0,"… 48 of 50 elements left out …",49]',
    );
  });

  it("leaves out fields where elements and strings are not enough", () => {
    const fields = Array.from({ length: 40 }, (_, nth): [string, number] => [`field ${nth}`, nth]);
    const row = Object.fromEntries(fields);
    const shrunk = shrinkJson(JSON.stringify([row, row, row]), 1000) ?? "";
    expect(shrunk.length).toBeLessThanOrEqual(1000);
    const least = { "field 0": 0, "…": "… 18 of 40 fields left out …", "field 39": 39 };
    expect(JSON.parse(shrunk)).toMatchObject([least, least, least]);
  });

  it("replaces inner values, at last the whole, by a note", () => {
    const rows = [1, 2, 3].map((id) => ({ id, name: "MIT", open: true }));
    const text = JSON.stringify({ rows, total: 3 });
    const [inner, outer] = [60, 20].map((length) => shrinkJson(text, length));
    expect(inner).toBe('{"rows":"… 3 elements left out …","total":3}');
    expect(outer).toBe('"… 2 fields left out …"');
  });

  it("gives nothing for what is no JSON object or array", () => {
    for (const text of ["", "text", "3", '"x"', "{broken", "[1,"])
      expect(shrinkJson(text, 1)).toBeUndefined();
  });

  it("keeps an own key that is called __proto__", () => {
    const text = `{"__proto__":"${"x".repeat(500)}"}`;
    expect(shrinkJson(text, 100)).toContain("__proto__");
  });

  it("survives a hostile nest", () => {
    const text = "[".repeat(5000) + "]".repeat(5000);
    expect(shrinkJson(text, 100)?.length).toBeLessThan(200);
  });
});
