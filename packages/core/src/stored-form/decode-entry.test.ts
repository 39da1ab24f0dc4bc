import { readFileSync } from "node:fs";
import { inspect } from "node:util";

import { describe, expect, it } from "vitest";

import { HistoryError } from "../history-error.ts";
import { decodeEntry } from "./decode-entry.ts";
import { STORED_VERSION } from "./encode-entry.ts";
import { UPGRADES } from "./upgrades/upgrades.ts";

const message = { type: "user_message", id: "u1", createdAtMs: 0, content: "Hello" };

function readFixture(name: string): unknown[] {
  return JSON.parse(readFileSync(new URL(`__fixtures__/${name}`, import.meta.url), "utf8"));
}

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

  it("upgrades version 0", () => {
    const upgraded = readFixture("version-0.json").map((row) => decodeEntry(row));
    expect(upgraded).toStrictEqual(readFixture("version-0-upgraded.json"));
  });

  it("has an upgrade from each older version", () => {
    expect(UPGRADES).toHaveLength(STORED_VERSION);
  });

  it.each([
    ["a time in words", 0, "Expected a finite number of seconds, 0 or more at `at`", "at"],
    ["arguments as text", 1, "Expected a JSON object at `calls.0.args`", "calls.0.args"],
    ["a kind that never was", 2, "Expected one of system_message, user_message,", "kind"],
  ])("refuses version 0 with %s", (_, index, expected, path) => {
    const error = refusalOf(readFixture("version-0-broken.json")[index]);
    expect(error.code).toBe("INVALID_ENTRY");
    expect(error.message).toMatch(expected);
    expect(error.details).toMatchObject({ path, entryId: `b${index + 1}` });
  });

  it("refuses the fields of one version under another", () => {
    expect(refusalOf({ v: 0, ...message }).details["path"]).toBe("kind");
    expect(
      refusalOf({ v: 1, id: "u1", kind: "user_message", at: 0, text: "" }).details["path"],
    ).toBe("type");
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
    expect(refusalOf(json).message).toMatch("Expected no field beside");
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
