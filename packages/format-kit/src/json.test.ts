import { describe, expect, it } from "vitest";

import { mergeJson, wireDifference } from "./json.ts";

describe("patchWire", () => {
  it.each([
    ["what is the same", { role: "user", content: "Hi" }, { role: "user", content: "Hi" }],
    ["unknown fields", { role: "user" }, { role: "user", name: "Ann", weight: 0 }],
    ["fields that the usual form adds", { role: "user", name: "Ann" }, { role: "user" }],
    ["another value", { role: "user", n: 1 }, { role: "user", n: null }],
    ["deeper objects", { a: { b: 1, c: [1] } }, { a: { b: 2, c: [1], d: { e: true } } }],
    ["an object in place of a text", { a: "x" }, { a: { b: "x" } }],
    ["names of prototypes", { a: 1 }, JSON.parse('{ "a": 1, "__proto__": { "b": 2 } }')],
  ])("gives a message back as it came: %s", (_, usual, wire) => {
    expect(mergeJson(usual, wireDifference(usual, wire))).toEqual(wire);
  });

  it("says what an entry says now, where its content was shortened after it came", () => {
    const difference = wireDifference(
      { role: "tool", content: "" },
      { role: "tool", content: null, extra: 1 },
    );

    expect(mergeJson({ role: "tool", content: "short" }, difference)).toEqual({
      role: "tool",
      content: "short",
      extra: 1,
    });
  });
});

describe("wireDifference", () => {
  it("is nothing where nothing differs, whatever the order of keys", () => {
    expect(wireDifference({ a: 1, b: [2] }, { b: [2], a: 1 })).toBe(undefined);
  });
});
