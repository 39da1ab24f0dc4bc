import { describe, expect, it } from "vitest";

import { deepFreeze } from "./deep-freeze.ts";

describe("deepFreeze", () => {
  it("freezes what a value holds, at any depth, and returns the value itself", () => {
    const value = { list: [{ deep: { deeper: 1 } }], ["__proto__"]: { own: [] } };

    expect(deepFreeze(value)).toBe(value);
    expect(Object.isFrozen(value)).toBe(true);
    expect(Object.isFrozen(value.list)).toBe(true);
    expect(Object.isFrozen(value.list[0]?.deep)).toBe(true);
    expect(Object.isFrozen(value["__proto__"].own)).toBe(true);
  });

  it("ends on a value that holds itself", () => {
    const value: { self?: unknown } = {};
    value.self = value;

    expect(Object.isFrozen(deepFreeze(value))).toBe(true);
  });

  it("freezes what a frozen object holds", () => {
    const inner = { open: true };

    deepFreeze(Object.freeze({ inner }));

    expect(Object.isFrozen(inner)).toBe(true);
  });

  it("goes as deep as a value is", () => {
    let value: { inner?: object } = {};
    for (let depth = 0; depth < 100_000; depth++) value = { inner: value };

    expect(Object.isFrozen(deepFreeze(value))).toBe(true);
  });

  it("gives scalars back", () => {
    expect([deepFreeze("text"), deepFreeze(undefined), deepFreeze(null)]).toEqual([
      "text",
      undefined,
      null,
    ]);
  });
});
