import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { removeFromText } from "./remove-from-text.ts";
import { tagCleaner } from "./text-cleaners.ts";

async function clean(text: string, tag = "t"): Promise<string> {
  return (await removeFromText(text, { cleaners: [tagCleaner({ tag })] })).text;
}

/** Takes away innermost pairs until there is none. */
function cleanFromInside(text: string): string {
  const innermost = text.replaceAll(/<t\/>|<t(?: a="b")?>[^<>]*<\/t>/g, "");
  return innermost === text ? text : cleanFromInside(innermost);
}

describe("tagCleaner", () => {
  it("cuts what one would cut pair by pair from the inside", async () => {
    const piece = fc.constantFrom("<t>", '<t a="b">', "</t>", "<t/>", "x", "yz", "/");
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 24 }), async (pieces) => {
        const text = pieces.join("");

        expect(await clean(text)).toBe(cleanFromInside(text));
      }),
      { numRuns: lawRuns(2000) },
    );
  });

  it("cuts tags within each other as one, from the outermost", async () => {
    const cleaned = await removeFromText("a<t>b<t>c</t>d</t>e", {
      cleaners: [tagCleaner({ tag: "t" })],
    });

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
  ])("handles %s", async (_, text, expected) => {
    expect(await clean(text)).toBe(expected);
  });

  it.each([
    ["a fenced code block", "```html\n<t>a</t>\n```"],
    ["a fenced code block of tildes", "~~~\n<t>a</t>\n~~~"],
    ["backticks", "Write `<t>`, then `</t>`."],
    ["backticks around both", "Write `<t>a</t>`."],
  ])("leaves tags in %s, which are the model's", async (_, text) => {
    expect(await clean(text)).toBe(text);
  });

  it("cuts a pair behind spaces that indent nothing", async () => {
    expect(await clean("a    <t>b</t>\nc    <t>d</t>")).toBe("a\nc");
  });

  it("cuts a pair around a fenced code block", async () => {
    expect(await clean("a <t>\n```js\nb </t>\n```\n</t> c")).toBe("a c");
  });

  it("cuts a pair behind a fence that is never closed", async () => {
    expect(await clean("```js\na\n<t>b</t>")).toBe("```js\na");
  });

  it("takes the white space before a cut where white space or the end follows", async () => {
    expect(await clean("a\n\n<t>b</t>\n\nc\n\n<t>d</t>\n<t>e</t>")).toBe("a\n\nc");
    expect(await clean("a\n\n<t>b</t>\n<t>c</t>\n")).toBe("a");
    expect(await clean("a <t>b</t> c")).toBe("a c");
    expect(await clean("a <t>b</t>c")).toBe("a c");
    expect(await clean("<t>b</t> c")).toBe(" c");
  });

  it("reads the characters of a name as they stand", async () => {
    expect(await clean("a<t.u>b</t.u>c<txu>d</t.u>", "t.u")).toBe("ac<txu>d</t.u>");
  });

  it("goes on where many tags in a row have others in them", async () => {
    const nested = "<t><t></t></t>".repeat(20);

    expect(await clean(`${nested}a<t>b</t>c${nested}`)).toBe("ac");
  });

  it("leaves names of objects alone as tags", async () => {
    expect(await clean("<constructor>a</constructor>", "constructor")).toBe("");
  });

  it.each(["", " ", "a b", "a>", "1", "<a>", "a(", undefined, null, /a/])(
    "refuses %j as a tag",
    (tag) => {
      expect(() => tagCleaner({ tag: tag as string })).toThrow(
        expect.objectContaining({ code: "INVALID_OPTION" }),
      );
    },
  );

  it("reports under the name it is given, or the tag's", async () => {
    expect(tagCleaner({ tag: "t" }).name).toBe("t");
    expect(tagCleaner({ tag: "t", name: "banner" }).name).toBe("banner");
  });
});
