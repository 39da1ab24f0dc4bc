import { arbitraryId } from "@agent-history/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { decodeField, decodeKeyPart, encodeField, encodeKeyPart } from "./encode-key-part.ts";

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom("a", "%", "{", "}", ":", "/", "*", "~", "\ud800", "\udc00") }),
  arbitraryId(),
  fc.uuid(),
  fc.uuid().map((id) => encodeField(id)),
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

  it("gives different texts different fields", () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(encodeField(one) === encodeField(other)).toBe(one === other);
      }),
    );
  });

  it("writes a UUID in 23 characters, and refuses what only looks like one", () => {
    const id = "01a20928-1cdb-7000-ae29-0d64e4215233";
    expect(encodeField(id)).toHaveLength(23);
    expect(encodeField(id.toUpperCase())).toBe(id.toUpperCase());
    for (const field of ["~", "~AAAA", `${encodeField(id)}A`, `${encodeField(id).slice(0, -1)}!`]) {
      expect(() => decodeField(field)).toThrow(expect.objectContaining({ code: "THREAD_CORRUPT" }));
    }
  });
});
