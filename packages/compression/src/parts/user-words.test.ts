import { describe, expect, it } from "vitest";

import { wordsOfPerson } from "./user-words.ts";

describe("wordsOfPerson", () => {
  it.each([
    ["<note>Be quick.</note>\nFix the cart.", "Fix the cart."],
    ['Fix the cart.\n<reminder kind="x">Be quick.</reminder>', "Fix the cart."],
    ["<command-name>/exit</command-name>\n<args></args>", ""],
    ["[Request interrupted by user]", ""],
    ["Is <b>this</b> right?", "Is <b>this</b> right?"],
    ["<div> is not closed", "<div> is not closed"],
  ])("leaves of %j what a person typed", (text, said) => {
    expect(wordsOfPerson(text)).toBe(said);
  });
});
