import { userMessage } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { userWords, wordsOfPerson } from "./user-words.ts";

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

describe("userWords", () => {
  it.each([
    ["without spaces", "見".repeat(700)],
    ["with spaces", "Please look at the cart. ".repeat(40).trim()],
  ])("are together the message word for word, where it is long and %s", (_, content) => {
    const [line] = userWords([userMessage({ content })]);
    expect(line?.items.length).toBeGreaterThan(2);
    expect(line?.items.map(({ text }) => text).join(line.joint)).toBe(content);
  });
});
