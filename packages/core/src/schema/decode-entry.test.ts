import { inspect } from "node:util";

import { describe, expect, it } from "vitest";

import { HistoryError } from "../history-error.ts";
import { decodeEntry } from "./parse-entry.ts";

const message = { type: "user_message", id: "u1", createdAtMs: 0, content: "Hello" };

function refusalOf(stored: unknown): HistoryError {
  try {
    decodeEntry(stored);
  } catch (error) {
    if (error instanceof HistoryError) return error;
    throw error;
  }
  throw new Error("Expected a refusal");
}

describe("decodeEntry", () => {
  it("reads the form, and the JSON text of the form", () => {
    expect(decodeEntry({ v: 1, ...message })).toStrictEqual(message);
    expect(decodeEntry(JSON.stringify({ ...message, v: 1 }))).toStrictEqual(message);
  });

  it("says so where a newer release wrote it, whatever else it holds", () => {
    const error = refusalOf({ v: 2, id: "u1", secret: "text" });
    expect(error.code).toBe("UNKNOWN_VERSION");
    expect(error.details).toStrictEqual({ version: 2, entryId: "u1" });
    expect(error.message).toMatch("got version 2");
    expect(inspect(error)).not.toMatch("secret");
    expect(refusalOf({ v: 99 }).details).toStrictEqual({ version: 99, entryId: undefined });
  });

  it.each([
    ["no version", message],
    ["a text for a version", { ...message, v: "1" }],
    ["version 0", { ...message, v: 0 }],
    ["a negative version", { ...message, v: -1 }],
    ["a fraction of a version", { ...message, v: 0.5 }],
    ["NaN for a version", { ...message, v: Number.NaN }],
  ])("refuses %s", (_, stored) => {
    const error = refusalOf(stored);
    expect(error.code).toBe("INVALID_ENTRY");
    expect(error.details).toMatchObject({ path: "v", entryId: "u1" });
  });

  it.each([undefined, null, 1, true, [], [{ v: 1, ...message }], "", "null", "[]", '"text"'])(
    "refuses %j, which is no stored entry",
    (stored) => {
      const error = refusalOf(stored);
      expect(error).toMatchObject({ code: "INVALID_ENTRY", details: { path: "" } });
      expect(error.message).toMatch(/^Expected (an object or its|the) JSON text/);
    },
  );

  it("does not quote text that is not JSON, as the engine would", () => {
    const error = refusalOf('{"content":"a secret');
    expect(error.code).toBe("INVALID_ENTRY");
    expect(inspect(error)).not.toMatch("secret");
  });

  it("refuses a field called __proto__ rather than lose it", () => {
    const json = JSON.stringify({ ...message, v: 1 }).replace("{", '{"__proto__":1,');
    expect(refusalOf(json).message).toMatch("Expected no fields other than");
  });

  it("survives JSON that is nested a hundred thousand deep", () => {
    const nest = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const row = JSON.stringify({ ...message, v: 1, metadata: { a: 0 } }).replace(
      '"a":0',
      `"a":${nest}`,
    );
    expect(refusalOf(row).message).toMatch("more than 256 levels at `metadata`");
    expect(refusalOf(nest).code).toBe("INVALID_ENTRY");
  });
});
