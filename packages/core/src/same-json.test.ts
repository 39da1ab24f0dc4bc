import { describe, expect, it } from "vitest";

import { sameJson } from "./same-json.ts";

describe("sameJson", () => {
  it.each([
    [
      { a: 1, b: [2, null] },
      { b: [2, null], a: 1 },
    ],
    [{ a: undefined }, {}],
    [JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":1}')],
  ])("takes %o and %o for the same", (one, other) => {
    expect(sameJson(one, other)).toBe(true);
    expect(sameJson(other, one)).toBe(true);
  });

  it.each([
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ a: 1, b: undefined }, { b: 1 }],
    [
      [1, 2],
      [2, 1],
    ],
    [[], {}],
    [null, {}],
    [{ constructor: 1 }, { toString: 1 }],
  ])("tells %o from %o", (one, other) => {
    expect(sameJson(one, other)).toBe(false);
    expect(sameJson(other, one)).toBe(false);
  });
});
