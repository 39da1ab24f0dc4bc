import { describe, expect, it } from "vitest";

import { findNonJson } from "./find-non-json.ts";

describe("findNonJson", () => {
  it.for([
    [undefined, "", "undefined"],
    [[1, Number.NaN], "1", "NaN or Infinity"],
    [{ a: { b: 1n } }, "a.b", "bigint"],
    [{ a: [new Date(0)] }, "a.0", "an instance of a class"],
    [Array(2), "0", "undefined"],
    [{ ["x".repeat(100)]: () => 0 }, "x".repeat(80), "function"],
  ] as const)("finds %o at %s: %s", ([value, path, kind]) => {
    expect(findNonJson(value)).toEqual({ path, kind });
  });

  it("takes what JSON keeps, and -0, which it writes as 0", () => {
    const value = { a: [null, true, "", 0, -0, { __proto__: null, b: [] }] };
    expect(findNonJson(value)).toBeUndefined();
  });

  it("ends on cycles, on great depth and on what throws", () => {
    const cyclic: Record<string, unknown> = {};
    cyclic["self"] = [cyclic, cyclic];
    expect(findNonJson(cyclic)).toEqual({ path: "", kind: "more than 256 levels" });
    const throwing = {
      get field(): never {
        throw new Error("unreadable");
      },
    };
    expect(findNonJson(throwing)?.kind).toBe("a value that throws when it is read");
  });
});
