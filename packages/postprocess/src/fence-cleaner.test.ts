import { describe, expect, it } from "vitest";

import { removeFromText } from "./remove-from-text.ts";
import { fenceCleaner } from "./text-cleaners.ts";

async function clean(text: string): Promise<string> {
  return (await removeFromText(text, { cleaners: [fenceCleaner({ language: "chart" })] })).text;
}

describe("fenceCleaner", () => {
  it.each([
    ["backticks", "a\n```chart\n1\n```\nb", "a\nb"],
    ["tildes", "a\n~~~chart\n1\n~~~\nb", "a\nb"],
    ["more words behind the language", "a\n```chart wide\n1\n```\nb", "a\nb"],
    ["a space before the language", "a\n``` chart\n1\n```\nb", "a\nb"],
    ["indentation of up to three", "a\n   ```chart\n1\n ```\nb", "a\nb"],
    ["carriage returns", "a\r\n```chart\r\n1\r\n```\r\nb", "a\r\nb"],
    ["a longer closing fence", "a\n```chart\n1\n`````\nb", "a\nb"],
    ["white space behind the closing fence", "a\n```chart\n1\n```  \nb", "a  \nb"],
    ["white space behind it at the end", "a\n```chart\n1\n```\n\n", "a"],
    ["an empty block", "```chart\n```", ""],
    ["blocks in a row", "a\n```chart\n1\n```\n```chart\n2\n```", "a"],
    ["blocks in a row with white space behind", "a\n```chart\n1\n```  \n```chart\n2\n```", "a"],
  ])("cuts a block with %s", async (_, text, expected) => {
    expect(await clean(text)).toBe(expected);
  });

  it.each([
    ["of another language", "```js\n1\n```"],
    ["of a language that begins the same", "```charts\n1\n```"],
    ["in another case", "```Chart\n1\n```"],
    ["without a language", "```\nchart\n```"],
    ["that is never closed", "a\n```chart\n1"],
    ["closed by a shorter fence", "````chart\n1\n```"],
    ["closed by another sign", "```chart\n1\n~~~"],
    ["closed by a fence with words behind", "```chart\n1\n``` end"],
    ["within another", "````md\n```chart\n1\n```\n````"],
    ["behind a fence that is never closed", "~~~\n```chart\n1\n```"],
    ["indented by four", "    ```chart\n    1\n    ```"],
    ["within a line", "a ```chart b``` c"],
    ["of two backticks", "``chart\n1\n``"],
    ["with backticks behind backticks", "```chart `\n1\n```"],
  ])("leaves a block %s", async (_, text) => {
    expect(await clean(text)).toBe(text);
  });

  it.each(["", " ", "a b", "a`", undefined, /a/])("refuses %j as a language", async (language) => {
    expect(() => fenceCleaner({ language: language as string })).toThrow(
      expect.objectContaining({ code: "INVALID_OPTION" }),
    );
  });
});
