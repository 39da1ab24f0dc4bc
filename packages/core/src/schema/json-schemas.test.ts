import { isDeepStrictEqual } from "node:util";
import { runInNewContext } from "node:vm";

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { JsonValue } from "../json.ts";
import { findNonJson, jsonObjectSchema, jsonValueSchema } from "./json-schemas.ts";

/** `depth` arrays or objects in one another. */
function nest(depth: number, open: "[" | '{"a":'): unknown {
  const close = open === "[" ? "]" : "}";
  return JSON.parse(`${open.repeat(depth)}0${close.repeat(depth)}`);
}

function messageOf(value: unknown): string | undefined {
  return jsonValueSchema.safeParse(value).error?.issues[0]?.message;
}

describe("jsonValueSchema", () => {
  it("gives back any JSON value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        // Through JSON, which knows no -0.
        const json: unknown = JSON.parse(JSON.stringify(value));
        expect(isDeepStrictEqual(jsonValueSchema.parse(json), json)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it("keeps a key called __proto__, and reaches no prototype by it", () => {
    const json = '{"__proto__":{"polluted":1},"constructor":{"prototype":2},"a":[{"__proto__":3}]}';
    const parsed = jsonValueSchema.parse(JSON.parse(json));
    expect(JSON.stringify(parsed)).toBe(json);
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
    expect(({} as { polluted?: unknown }).polluted).toBe(undefined);
  });

  it("turns -0 into 0, at any depth", () => {
    expect(jsonValueSchema.parse(-0)).toBe(0);
    expect(jsonValueSchema.parse({ a: [-0] })).toStrictEqual({ a: [0] });
  });

  it("gives a copy that is frozen to its depth, and leaves its input alone", () => {
    const input = { a: [{ b: 1 }] };
    const parsed = jsonValueSchema.parse(input);
    input.a.push({ b: 2 });
    expect(parsed).toStrictEqual({ a: [{ b: 1 }] });
    expect(Object.isFrozen(input)).toBe(false);
    const { a } = parsed as { readonly a: readonly JsonValue[] };
    expect([parsed, a, a[0]].every((part) => Object.isFrozen(part))).toBe(true);
  });

  it("takes objects without a prototype and of another realm", () => {
    expect(jsonValueSchema.parse(Object.create(null))).toStrictEqual({});
    expect(jsonValueSchema.parse(runInNewContext("({ a: [{}] })"))).toStrictEqual({ a: [{}] });
  });

  it.each([
    ["undefined", undefined],
    ["undefined", { a: undefined }],
    // Holes, which JSON would turn into null.
    ["undefined", Object.assign([], { length: 2 })],
    ["NaN or Infinity", [Number.NaN]],
    ["NaN or Infinity", -Infinity],
    ["bigint", { a: 1n }],
    ["function", { toJSON: () => 1 }],
    ["symbol", [Symbol("a")]],
    ["an instance of a class", new Date(0)],
    ["an instance of a class", { a: new Map() }],
    ["an instance of a class", [new Uint8Array(1)]],
    ["an instance of a class", Object.create({ inherited: 1 })],
  ])("refuses %s, which JSON would change or lose", (found, value) => {
    expect(messageOf(value)).toBe(`Expected JSON without ${found}`);
  });

  it.each(["[", '{"a":'] as const)("takes %s nested to the limit, and not one deeper", (open) => {
    expect(messageOf(nest(256, open))).toBe(undefined);
    expect(messageOf(nest(257, open))).toBe("Expected JSON without more than 256 levels");
  });

  it.each(["[", '{"a":'] as const)("survives a hundred thousand of %s", (open) => {
    expect(messageOf(nest(100_000, open))).toBe("Expected JSON without more than 256 levels");
  });

  it("refuses a cycle, and walks one of its arms only", () => {
    let reads = 0;
    const read = (): unknown => {
      reads += 1;
      if (reads > 1000) throw new Error("Walks on after the first problem");
      return cycle;
    };
    const cycle = {
      get left(): unknown {
        return read();
      },
      get right(): unknown {
        return read();
      },
    };
    expect(messageOf(cycle)).toBe("Expected JSON without more than 256 levels");
  });
});

describe("jsonObjectSchema", () => {
  it("takes an object and nothing else", () => {
    expect(jsonObjectSchema.parse({ a: [null] })).toStrictEqual({ a: [null] });
    for (const value of [null, 1, "{}", [], [{}], undefined]) {
      expect(jsonObjectSchema.safeParse(value).success).toBe(false);
    }
    expect(jsonObjectSchema.safeParse([]).error?.issues[0]?.message).toBe("Expected a JSON object");
  });
});

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
