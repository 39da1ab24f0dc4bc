import { arbitraryId } from "@agent-history/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { decodeField, decodeKeyPart, encodeField, encodeKeyPart } from "./encode-key-part.ts";

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom("a", "%", "{", "}", ":", "/", "*", "~", "\ud800", "\udc00") }),
  arbitraryId(),
);

describe("encodeKeyPart", () => {
  it("gives back any text, and lets none out of its part of a key", () => {
    fc.assert(
      fc.property(text, (part) => {
        const encoded = encodeKeyPart(part);
        expect(encoded).toMatch(/^[A-Za-z0-9_.%-]*$/);
        expect(decodeKeyPart(encoded)).toBe(part);
      }),
    );
  });

  it("begins like another's where the text does, and only there", () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(encodeKeyPart(one + other).startsWith(encodeKeyPart(one))).toBe(true);
        expect(encodeKeyPart(one).startsWith(encodeKeyPart(other))).toBe(one.startsWith(other));
      }),
    );
  });
});

describe("encodeField", () => {
  it("gives back any text through UTF-8, lone surrogates too", () => {
    fc.assert(
      fc.property(text, (field) => {
        const carried = Buffer.from(encodeField(field), "utf8").toString("utf8");
        expect(decodeField(carried)).toBe(field);
      }),
    );
  });
});
