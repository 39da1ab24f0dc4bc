import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { byteString } from "./byte-string.ts";

describe("byteString", () => {
  it("has one character for each byte of UTF-8", () => {
    const texts = fc.oneof(fc.string(), fc.string({ unit: "binary" }));
    fc.assert(
      fc.property(texts, (text) => {
        expect(byteString(text)).toBe(Buffer.from(text, "utf8").toString("latin1"));
      }),
      { numRuns: lawRuns(1000) },
    );
  });

  it("writes texts longer than a call has room for arguments", () => {
    expect(byteString("漢".repeat(200_000))).toHaveLength(600_000);
  });
});
