import { encodeEntry } from "@agent-history/core/schema";
import { arbitraryEntry, arbitraryText } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { restoreHead, shortenHead } from "./short-head.ts";

describe("shortenHead", () => {
  it("is undone by restoreHead, whatever the entry", () => {
    const ids = fc.oneof(
      fc.uuid(),
      arbitraryText(),
      fc.constantFrom("", "~", "~x", '"', "\\", "\u0001", "\uD800", "~AaBbCcDdEeFfGgHhIiJjKk"),
    );
    fc.assert(
      fc.property(arbitraryEntry(), ids, (entry, id) => {
        const json = JSON.stringify(encodeEntry({ ...entry, id: id === "" ? "x" : id }));
        expect(restoreHead(shortened(json))).toBe(json);
      }),
    );
  });

  it("is undone whatever JSON it is given, like that of an entry or not", () => {
    const time = fc.oneof(fc.double(), fc.integer(), fc.maxSafeInteger(), fc.constant(-0));
    const like = fc.tuple(fc.constantFrom("task", "own type", "summary", "u"), time, fc.string());
    const json = fc.oneof(
      fc.jsonValue().map((value) => JSON.stringify(value)),
      like.map(([type, createdAtMs, id]) =>
        JSON.stringify({ v: 1, type, id, createdAtMs, content: id }),
      ),
      like.map(([type, createdAtMs, id]) => JSON.stringify({ v: 1, type, id, createdAtMs })),
    );
    fc.assert(
      fc.property(json, (text) => {
        expect(restoreHead(shortened(text))).toBe(text);
      }),
    );
  });

  it("takes 65 bytes from a message whose id is a UUID", () => {
    const json = JSON.stringify({
      v: 1,
      type: "user_message",
      id: "01a20b08-0b95-7003-97ef-c3a27674ae3e",
      createdAtMs: 1_795_481_406_357,
      content: "Hello",
    });
    expect(json.length - shortened(json).length).toBeGreaterThanOrEqual(65);
  });
});

describe("restoreHead", () => {
  it("gives no JSON of what was shortened in part, and never throws", () => {
    for (const text of [
      "\u0001",
      "\u0001u",
      "\u0001ua\u0001",
      "\u0001xa\u00011\u0001}",
      "\u0001ua\u0001!\u0001}",
      "\u0001u~x\u00011\u0001}",
    ]) {
      expect(restoreHead(text)).toBe("");
    }
  });
});

function shortened(json: string): string {
  const { head, rest } = shortenHead(json);
  return head + rest;
}
