import { describe, expect, it } from "vitest";

import { functionCleaner } from "./function-cleaner.ts";
import { historyCleaner } from "./history-cleaner.ts";
import { postProcessor } from "./post-processor.ts";
import { removeFromText } from "./remove-from-text.ts";
import type { TextCleaner } from "./text-cleaner.ts";
import { fenceCleaner } from "./text-cleaners.ts";
import { footerCleaner } from "./text-cleaners.ts";
import { markerCleaner } from "./text-cleaners.ts";
import { tagCleaner } from "./text-cleaners.ts";

const LENGTH = 60_000;

/** Looks at a character, for each character of a text. The worst that was measured is 11. */
const MOST_LOOKS = 12;

const nonce = "k3v9q27hd0xw";
const ownMark = `<!--ah:${nonce}-->`;

const marking = postProcessor({
  name: "marking",
  nonce,
  apply: (text, { mark }) => text + mark("x"),
});

const cleaners: readonly TextCleaner[] = [
  tagCleaner({ tag: "t" }),
  fenceCleaner({ language: "chart" }),
  markerCleaner({ name: "brackets", open: "[[", close: "]]" }),
  markerCleaner({ name: "runs", open: "aaab", close: "aaac" }),
  footerCleaner({ begins: "aaab" }),
  functionCleaner({ name: "all", removeFromText: () => "" }),
  functionCleaner({
    name: "every other",
    removeFromText: (text) => text.replaceAll(/(.)./gs, "$1"),
  }),
  marking,
];

/** Hostile texts, from their pieces: the first once, the second again and again, the third once. */
const hostile: readonly (readonly [string, string, string])[] = [
  ["", "a", ""],
  ["", " ", ""],
  ["", "\n", ""],
  ["", "<", ""],
  ["", ">", ""],
  ["", "<t", ""],
  ["", "<t ", ""],
  ["", "<t ", ">"],
  ["", "<t>", ""],
  ["", "<t>", "</t>"],
  ["", "</t>", ""],
  ["", "<t></t>", ""],
  ["", "<t/>", ""],
  ["", "\n<t/>\n", ""],
  ["<t>".repeat(LENGTH / 8), "</t>", ""],
  ["", "<t><t></t>", ""],
  ["", "`", ""],
  ["", "`<t>", ""],
  ["", "`\n", ""],
  ["", "`a", "\n"],
  ["", "```chart\n", ""],
  ["", "```chart\n```\n", ""],
  ["", "~~~\n```\n", ""],
  ["", "   ", "```"],
  ["", "> ", "```"],
  ["", "- ", ""],
  ["> ".repeat(LENGTH / 8), "\n~~~ a", ""],
  [`${" ".repeat(LENGTH / 8)}~~~`, "\n~~~ a", ""],
  ["```".repeat(LENGTH / 8), "\n```", ""],
  ["", "[[", ""],
  ["", "]]", ""],
  ["", "[[", "]]"],
  ["[[".repeat(LENGTH / 8), "]]", ""],
  ["", "[[]]", ""],
  ["", "aaa", ""],
  ["", "aaab", ""],
  ["", ownMark, ""],
  ["", `ah:${nonce}`, ""],
  ["", `${ownMark}<!--/ah:${nonce}-->`, ""],
  ["", "[", "]"],
  ["", "{", ""],
];

const texts = hostile.map(([head, piece, tail]): [string, string] => {
  const count = Math.floor((LENGTH - head.length) / piece.length);
  return [JSON.stringify([head.slice(0, 9), piece, tail]), head + piece.repeat(count) + tail];
});

/** Counts the characters that the methods of strings, and sticky expressions, look at, or copy, while `work` runs. */
async function countLooks(work: () => unknown): Promise<number> {
  let looks = 0;
  const test: (text: string) => boolean = Reflect.get(RegExp.prototype, "test");
  Reflect.set(RegExp.prototype, "test", function counted(this: RegExp, text: string) {
    const from = this.lastIndex;
    const isFound = Reflect.apply(test, this, [text]);
    if (this.sticky) looks += (isFound ? this.lastIndex : endOfMiss(text, from)) - from;
    return isFound;
  });
  const originals = [...costs].map(([name, costOf]): [string, unknown] => {
    const original: (...parameters: unknown[]) => unknown = Reflect.get(String.prototype, name);
    Reflect.set(String.prototype, name, function counted(this: string, ...parameters: unknown[]) {
      const result = Reflect.apply(original, this, parameters);
      looks += costOf(this, parameters, result);
      return result;
    });
    return [name, original];
  });
  try {
    await work();
  } finally {
    for (const [name, original] of originals) Reflect.set(String.prototype, name, original);
    Reflect.set(RegExp.prototype, "test", test);
  }
  return looks;
}

/** The content of a simple element has no `<`: a search for one ends there, or before. */
function endOfMiss(text: string, from: number): number {
  let end = from + 1;
  while (end < text.length && text[end] !== "<") end += 1;
  return end;
}

/** What a call of a method looks at: the text it is called on, with what, what it gives. */
type CostOf = (text: string, parameters: readonly unknown[], result: unknown) => number;

const one: CostOf = () => 1;

const whole: CostOf = (text) => text.length;

const copied: CostOf = (_text, _parameters, result) => String(result).length;

/** A needle that is longer than the text is not looked at. */
const compared: CostOf = (text, [needle]) => {
  const { length } = String(needle);
  return length > text.length ? 0 : length;
};

const costs: ReadonlyMap<string, CostOf> = new Map<string, CostOf>([
  ["charAt", one],
  ["charCodeAt", one],
  ["codePointAt", one],
  ["endsWith", compared],
  ["includes", whole],
  [
    "indexOf",
    (text, [needle, from = 0], location) =>
      (location === -1 ? text.length : Number(location) + String(needle).length) - Number(from),
  ],
  ["lastIndexOf", (text, _, location) => text.length - Number(location)],
  ["match", whole],
  ["matchAll", whole],
  ["repeat", copied],
  ["replace", whole],
  ["replaceAll", whole],
  ["search", whole],
  ["slice", copied],
  ["split", whole],
  ["startsWith", compared],
  ["substring", copied],
  ["trim", whole],
  ["trimEnd", whole],
  ["trimStart", whole],
]);

describe("cleaners", () => {
  it.each(texts)("look at a text of %s in linear time", async (_, text) => {
    for (const cleaner of cleaners) {
      const looks = await countLooks(async () => removeFromText(text, { cleaners: [cleaner] }));

      expect({ cleaner: cleaner.name, isLinear: looks <= MOST_LOOKS * text.length }).toEqual({
        cleaner: cleaner.name,
        isLinear: true,
      });
    }
  });

  it("look at each text a few times only when all of them clean a history", async () => {
    const cleaner = historyCleaner({ cleaners });
    const entries = texts.map(([id, content]) => ({
      id,
      createdAtMs: 0,
      type: "assistant_message" as const,
      content,
    }));
    const length = texts.reduce((sum, [, text]) => sum + text.length, 0);

    const looks = await countLooks(async () => cleaner.clean(entries));
    const looksAgain = await countLooks(async () => cleaner.clean(entries));

    expect(looks).toBeLessThan(MOST_LOOKS * cleaners.length * length);
    expect(looksAgain).toBe(0);
  });

  it("are counted: a search from each opening to the end is found out", async () => {
    const naive = functionCleaner({
      name: "naive",
      removeFromText: (text) => {
        for (let at = text.indexOf("<t>"); at !== -1; at = text.indexOf("<t>", at + 1)) {
          text.indexOf("</t>", at);
        }
        return text;
      },
    });
    const text = "<t>".repeat(LENGTH / 30);

    const looks = await countLooks(async () => removeFromText(text, { cleaners: [naive] }));

    expect(looks).toBeGreaterThan(MOST_LOOKS * text.length);
  });
});
