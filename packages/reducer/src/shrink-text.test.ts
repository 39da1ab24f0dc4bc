import { observation } from "@agent-history/core";
import { arbitraryText, lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { editEntry } from "./edit-entry.ts";
import { shrinkJson } from "./shrink-text.ts";
import { shrinkText } from "./shrink-text.ts";

const RUNS = { numRuns: lawRuns(2000) };
const limits = fc.record({ head: fc.nat({ max: 80 }), tail: fc.nat({ max: 80 }) });
const MARKER = /\n\[… (\d+) characters left out …\]\n/gu;

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
        const [kept = "", rest = ""] = shrunk.split(/\n\[… \d+ characters left out …\]\n/u);
        const words = text.split(/\s+/u);
        const [before, after] = [kept, rest].map((part) => part.split(/\s+/u).filter(Boolean));
        expect(kept.length).toBeLessThanOrEqual(head);
        expect(rest.length).toBeLessThanOrEqual(tail);
        expect(words.slice(0, before?.length)).toEqual(before);
        expect(words.filter(Boolean).slice(-(after?.length ?? 0) || Infinity)).toEqual(after);
      }),
    );
  });

  it("does not split a pair of surrogates", () => {
    const text = "😀".repeat(100);
    expect(shrinkText(text, { head: 3, tail: 3 })).toBe("😀\n[… 196 characters left out …]\n😀");
  });
});

describe("editEntry", () => {
  it("cuts a JSON result as text where its keys alone are longer than asked for", () => {
    const rows = Array.from({ length: 13 }, (_, id) => ({ id, name: `row ${id}`, open: true }));
    const content = JSON.stringify(rows);
    const result = observation({ callId: "c", toolName: "t", outcome: "success", content });
    const edit = { text: { head: 13, tail: 5 } };
    expect(editEntry(result, edit)).toMatchObject({ content: shrinkText(content, edit.text) });
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
    expect(shrinkJson(JSON.stringify(Array.from({ length: 50 }, (_, nth) => nth)), 20)).toBe(
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
