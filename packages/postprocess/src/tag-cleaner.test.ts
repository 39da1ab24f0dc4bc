import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { removeFromText } from "./remove-from-text.ts";
import { tagCleaner } from "./tag-cleaner.ts";

function clean(text: string, tag = "t"): string {
  return removeFromText(text, { cleaners: [tagCleaner({ tag })] }).text;
}

/** Takes away innermost pairs until there is none. */
function cleanFromInside(text: string): string {
  const innermost = text.replaceAll(/<t\/>|<t(?: a="b")?>[^<>]*<\/t>/g, "");
  return innermost === text ? text : cleanFromInside(innermost);
}

describe("tagCleaner", () => {
  it("cuts what one would cut pair by pair from the inside", () => {
    const piece = fc.constantFrom("<t>", '<t a="b">', "</t>", "<t/>", "x", "yz", "/");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
        const text = pieces.join("");

        expect(clean(text)).toBe(cleanFromInside(text));
      }),
      { numRuns: lawRuns(2000) },
    );
  });

  it("cuts tags within each other as one, from the outermost", () => {
    const cleaned = removeFromText("a<t>b<t>c</t>d</t>e", { cleaners: [tagCleaner({ tag: "t" })] });

    expect(cleaned.cuts).toEqual([{ cleaner: "t", start: 1, end: 18 }]);
  });

  it.each([
    ["attributes", 'a<t b="c" d>e</t>f', "af"],
    ["attributes on lines of their own", "a<t\n  b\n>e</t>f", "af"],
    ["a tag that closes itself", 'a<t/>b<t id="1" />c', "abc"],
    ["an opening that nothing closes", "a<t>b", "a<t>b"],
    ["a closing of nothing", "a</t>b", "a</t>b"],
    ["a stray opening before a pair", "the <t> tag: <t>b</t>!", "the <t> tag: !"],
    ["an opening that never ends", "a<t b <t>c</t>d", "a<t b d"],
    ["another tag that begins the same", "<table>a</table></t>", "<table>a</table></t>"],
    ["another tag that begins the same, and ends as this one", "<tx>a</t>", "<tx>a</t>"],
    ["a tag that closes itself, and a closing of nothing", "a<t />b</t>c", "ab</t>c"],
    ["other tags in the content", "a<t><b>c</b></t>d", "ad"],
    ["another case", "<T>a</T>", "<T>a</T>"],
  ])("handles %s", (_, text, expected) => {
    expect(clean(text)).toBe(expected);
  });

  it.each([
    ["a fenced code block", "```html\n<t>a</t>\n```"],
    ["a fenced code block of tildes", "~~~\n<t>a</t>\n~~~"],
    ["backticks", "Write `<t>`, then `</t>`."],
    ["backticks around both", "Write `<t>a</t>`."],
  ])("leaves tags in %s, which are the model's", (_, text) => {
    expect(clean(text)).toBe(text);
  });

  it.each([
    ["at the beginning", "    <t>a</t>"],
    ["below a paragraph", "a\n\n    <t>b</t>\n"],
    ["between other ends of lines", "a\r\n\r\n    <t>b</t>\r\nc"],
    ["behind a line separator", "a\u2028\u2028    <t>b</t>"],
    ["in a quotation", ">     <t>a</t>"],
    ["in a quotation below a paragraph", "a\n\n  >     <t>b</t>"],
  ])("leaves tags in an indented block %s", (_, text) => {
    expect(clean(text)).toBe(text);
  });

  it("cuts a pair behind spaces that indent nothing", () => {
    expect(clean("a    <t>b</t>\nc    <t>d</t>")).toBe("a\nc");
  });

  it("cuts a pair around a fenced code block", () => {
    expect(clean("a <t>\n```js\nb </t>\n```\n</t> c")).toBe("a c");
  });

  it("cuts a pair behind a fence that is never closed", () => {
    expect(clean("```js\na\n<t>b</t>")).toBe("```js\na");
  });

  it("takes the white space before a cut where white space or the end follows", () => {
    expect(clean("a\n\n<t>b</t>\n\nc\n\n<t>d</t>\n<t>e</t>")).toBe("a\n\nc");
    expect(clean("a\n\n<t>b</t>\n<t>c</t>\n")).toBe("a");
    expect(clean("a <t>b</t> c")).toBe("a c");
    expect(clean("a <t>b</t>c")).toBe("a c");
    expect(clean("<t>b</t> c")).toBe(" c");
  });

  it("reads the characters of a name as they stand", () => {
    expect(clean("a<t.u>b</t.u>c<txu>d</t.u>", "t.u")).toBe("ac<txu>d</t.u>");
  });

  it("goes on where many tags in a row have others in them", () => {
    const nested = "<t><t></t></t>".repeat(20);

    expect(clean(`${nested}a<t>b</t>c${nested}`)).toBe("ac");
  });

  it("leaves names of objects alone as tags", () => {
    expect(clean("<constructor>a</constructor>", "constructor")).toBe("");
  });

  it.each(["", " ", "a b", "a>", "1", "<a>", "a(", undefined, null, /a/])(
    "refuses %j as a tag",
    (tag) => {
      expect(() => tagCleaner({ tag: tag as string })).toThrow(
        expect.objectContaining({ code: "INVALID_OPTION" }),
      );
    },
  );

  it("reports under the name it is given, or the tag's", () => {
    expect(tagCleaner({ tag: "t" }).name).toBe("t");
    expect(tagCleaner({ tag: "t", name: "banner" }).name).toBe("banner");
  });
});
