import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { fullIdOf, rowKey } from "./row-key.ts";

const ids = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }),
  fc
    .tuple(fc.constantFrom("x", "日", "👍", '"', "\u0000", "\uD83D", "\\", "\uFEFF"), fc.nat(700))
    .map(([text, count]) => text.repeat(count)),
);

describe("rowKey", () => {
  it("keeps every id apart, within what an index takes, through UTF-8 and without NUL", () => {
    fc.assert(
      fc.property(ids, ids, (one, other) => {
        const key = rowKey(one);
        expect(Buffer.from(key).toString()).toBe(key);
        expect(Buffer.byteLength(key)).toBeLessThan(1000);
        expect(["\u0000", "\uFEFF"].some((part) => key.includes(part))).toBe(false);
        expect(key === rowKey(other)).toBe(one === other);
        expect(JSON.parse(`"${fullIdOf(one) ?? key}"`)).toBe(one);
      }),
      { numRuns: lawRuns(1000) },
    );
  });
});
