import { keyText, textKey } from "@agent-history/store-kit";
import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

const texts = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }),
  fc
    .array(fc.constantFrom(0, 0x22, 0x5c, 0x75, 0xd83d, 0xdc4d, 0xfffd), { maxLength: 6 })
    .map((units) => String.fromCharCode(...units)),
);

describe("textKey", () => {
  it("keeps every text apart and gives it back, through UTF-8 and without NUL", () => {
    fc.assert(
      fc.property(texts, texts, (one, other) => {
        const key = textKey(one);
        expect(keyText(Buffer.from(key).toString())).toBe(one);
        expect(key.includes("\u0000")).toBe(false);
        expect(key === textKey(other)).toBe(one === other);
      }),
      { numRuns: lawRuns(5000) },
    );
  });

  it("begins alike where texts do, unless one ends within a pair", () => {
    fc.assert(
      fc.property(texts, texts, (beginning, rest) => {
        const whole = beginning.replace(/[\uD800-\uDBFF]+$/, "");
        expect(textKey(whole + rest).startsWith(textKey(whole))).toBe(true);
      }),
      { numRuns: lawRuns(5000) },
    );
  });
});
