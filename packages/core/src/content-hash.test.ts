import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { contentHash } from "./content-hash.ts";

describe("contentHash", () => {
  it("is MurmurHash3_x86_32, four times, of the value's kind, length and text, as UTF-16", () => {
    // Computed by mmh3 5.3.0 of Python: [mmh3.hash("s5:hello ".encode("utf-16-le"), seed) for seed in range(4)].
    expect(contentHash("")).toBe("5100d98f613f53f5879b475bbd0bb351");
    expect(contentHash("hello")).toBe("0f295b3745f40c1f3a4faf73fd1a8ab6");
    const fox = "The quick brown fox jumps over the lazy dog";
    expect(contentHash(fox)).toBe("4a187fabf1b8a961447dac0270f55908");
  });

  it("does not mind the order of keys, keys without a value, or a round trip through JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const stored: unknown = JSON.parse(JSON.stringify(value));
        expect(contentHash(stored)).toBe(contentHash(value));
      }),
    );
    const { nothing } = { nothing: undefined };
    expect(contentHash({ a: 1, b: [{ c: 2, d: 3 }] })).toBe(
      contentHash({ b: [{ d: 3, c: 2, nothing }], a: 1 }),
    );
  });

  it("tells different values apart, wherever a text ends and another begins", () => {
    const different = [
      ["ab", "c"],
      ["a", "bc"],
      ["abc"],
      "abc",
      [["abc"]],
      { a: "b" },
      { a: "b", c: null },
      { a: ["b"] },
      [],
      {},
      null,
      0,
      false,
      "0",
      "",
      "\0",
      "\0\0",
      [null, 1],
      [0, true],
      "\ud83d",
      "\udc00",
      JSON.parse('{"__proto__":1}'),
      JSON.parse('{"__proto__":2}'),
    ];
    expect(new Set(different.map(contentHash)).size).toBe(different.length);
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const isSame = contentHash(one) === contentHash(other);
        expect(isSame).toBe(JSON.stringify(sorted(one)) === JSON.stringify(sorted(other)));
      }),
    );
  });

  it("spreads small changes over all its bits", () => {
    const hashes = Array.from({ length: 20_000 }, (_, nth) => contentHash(`${nth}`));
    for (let digit = 0; digit < 32; digit += 8) {
      expect(new Set(hashes.map((hash) => hash.slice(digit, digit + 8))).size).toBeGreaterThan(
        19_990,
      );
    }
  });
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return { fields: entries.map(([key, field]) => [key, sorted(field)]) };
}
