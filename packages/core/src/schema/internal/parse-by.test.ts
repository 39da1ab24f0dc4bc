import { inspect } from "node:util";

import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";

import { HistoryError } from "../../history-error.ts";
import { parseBy } from "./parse-by.ts";

function refusalOf(schema: z.ZodType, value: unknown): HistoryError {
  try {
    parseBy(schema, value);
  } catch (error) {
    if (error instanceof HistoryError) return error;
    throw error;
  }
  throw new Error("Expected a refusal");
}

describe("parseBy", () => {
  it("names the first failure", () => {
    const schema = z.object({ a: z.string("Expected a"), b: z.string("Expected b") });
    expect(refusalOf(schema, { a: 1, b: 2 }).message).toBe("Expected a at `a`; got a number.");
  });

  it("follows a union into the branch that came furthest", () => {
    const list = z.array(z.object({ n: z.union([z.number(), z.array(z.number("Expected n"))]) }));
    const schema = z.object({ list: z.union([z.string(), list], "Expected a list") });
    expect(refusalOf(schema, { list: 1 }).message).toBe("Expected a list at `list`; got a number.");
    expect(refusalOf(schema, { list: [{ n: [0, "1"] }] }).details["path"]).toBe("list.0.n.1");
  });

  it("says nothing in the words of zod, or of an application's own zod settings", () => {
    const { customError } = z.config();
    onTestFinished(() => {
      z.config({ customError });
    });
    z.config({ customError: (issue) => `secret: ${inspect(issue.input)}` });
    const error = refusalOf(z.object({ a: z.string() }), { id: "e1", a: ["secret"] });
    expect(error.message).toBe('Expected another value at `a` of entry "e1"; got a list.');
    expect(error.cause).toBe(undefined);
    expect(inspect(error)).not.toContain("secret");
  });

  it.each([
    [undefined, "undefined"],
    [null, "null"],
    ["", "an empty string"],
    ["text", "a string"],
    [0, "a number"],
    [Number.NaN, "NaN"],
    [-Infinity, "-Infinity"],
    [true, "a boolean"],
    [[], "an empty list"],
    [[1], "a list"],
    [{}, "an object"],
    [new Date(0), "an object"],
    [() => 0, "a function"],
  ])("says of %j that it got %s", (value, kind) => {
    expect(refusalOf(z.never("Expected nothing"), value).message).toBe(
      `Expected nothing; got ${kind}.`,
    );
  });
});
