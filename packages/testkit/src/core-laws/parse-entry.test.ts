import { isDeepStrictEqual } from "node:util";

import { ENTRY_TYPES, HistoryError } from "@agent-history/core";
import { parseEntry } from "@agent-history/core/schema";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryEntry } from "../arbitrary-entry.ts";
import { deepFreeze } from "../deep-freeze.ts";
import { lawRuns } from "../law-runs.ts";

const message = { type: "user_message", id: "u1", createdAtMs: 0, content: "Hello" };

function refusalOf(value: unknown): HistoryError {
  try {
    parseEntry(value);
  } catch (error) {
    if (error instanceof HistoryError) return error;
    throw error;
  }
  throw new Error("Expected a refusal");
}

describe("parseEntry", () => {
  it.each(ENTRY_TYPES)("gives back any %s, every optional field set", (type) => {
    fc.assert(
      fc.property(arbitraryEntry({ type, optional: "all" }), (entry) => {
        expect(isDeepStrictEqual(parseEntry(deepFreeze(entry)), entry)).toBe(true);
      }),
      { numRuns: lawRuns(100) },
    );
  });

  it.each(["some", "none"] as const)("gives back any entry, %s optional fields set", (optional) => {
    fc.assert(
      fc.property(arbitraryEntry({ optional }), (entry) => {
        expect(isDeepStrictEqual(parseEntry(entry), entry)).toBe(true);
      }),
      { numRuns: lawRuns(100) },
    );
  });

  it("takes no undefined: a field is left out", () => {
    fc.assert(
      fc.property(arbitraryEntry({ optional: "all" }), fc.nat(), (entry, at) => {
        const fields = Object.keys(entry);
        const field = fields[at % fields.length] ?? "";
        expect(refusalOf({ ...entry, [field]: undefined }).details["path"]).toBe(field);
      }),
      { numRuns: lawRuns(100) },
    );
  });

  it("gives a copy that is frozen to its depth", () => {
    fc.assert(
      fc.property(arbitraryEntry({ optional: "all" }), (entry) => {
        expect(partsOf(parseEntry(entry)).every((part) => Object.isFrozen(part))).toBe(true);
      }),
      { numRuns: lawRuns(100) },
    );
  });

  it("turns -0 into 0", () => {
    const parsed = parseEntry({ ...message, createdAtMs: -0, phaseId: -0, metadata: { a: -0 } });
    expect(parsed).toStrictEqual({ ...message, phaseId: 0, metadata: { a: 0 } });
  });

  it("says which entry it is, and what came instead", () => {
    const error = refusalOf({
      type: "action",
      id: "a1",
      createdAtMs: 0,
      toolCalls: [{ id: "", name: "read", arguments: "{}" }],
    });
    expect(error.message).toBe(
      'Expected a non-empty string at `toolCalls.0.id` of entry "a1"; got an empty string.',
    );
    expect(error.details).toStrictEqual({
      path: "toolCalls.0.id",
      entryId: "a1",
      entryType: "action",
    });
  });

  it("says which types exist where there is none", () => {
    const error = refusalOf({ ...message, type: "" });
    expect(error.message).toBe(
      `Expected one of ${ENTRY_TYPES.join(", ")} at \`type\` of entry "u1"; got an empty string.`,
    );
    expect(error.details).toMatchObject({ path: "type", entryId: "u1" });
  });

  it.each(["tool_message", "__proto__", "constructor", "toString"])(
    "takes %s for a type of the user's own, with any JSON beside the common fields",
    (type) => {
      const entry = { ...message, type, body: [{ deep: null }] };
      expect(parseEntry(entry)).toStrictEqual(entry);
      expect(refusalOf({ ...entry, id: "" }).details["path"]).toBe("id");
      expect(refusalOf({ ...entry, turnId: 5 }).details["path"]).toBe("turnId");
      expect(refusalOf({ ...entry, content: 5 }).details["path"]).toBe("content");
      expect(refusalOf({ ...entry, body: Number.NaN }).code).toBe("INVALID_ENTRY");
      expect(refusalOf({ ...entry, body: new Map() }).code).toBe("INVALID_ENTRY");
    },
  );

  it("cuts a giant id in the message, and hands it on whole in the details", () => {
    const id = "i".repeat(1_000_000);
    const error = refusalOf({ ...message, id, content: 1 });
    expect(error.message.length).toBeLessThan(300);
    expect(error.details["entryId"]).toBe(id);
  });

  it("refuses a hostile nest and survives it", () => {
    const nest: unknown = JSON.parse(`${'{"a":'.repeat(100_000)}0${"}".repeat(100_000)}`);
    const deep = "JSON without more than 256 levels";
    expect(refusalOf({ ...message, metadata: nest }).message).toMatch(deep);
    expect(refusalOf({ ...message, content: [{ type: "opaque", data: nest }] }).message).toMatch(
      deep,
    );
    expect(refusalOf({ ...message, content: nest }).details["path"]).toBe("content");
    expect(refusalOf({ ...message, content: [[[nest]]] }).details["path"]).toBe("content.0");
    expect(refusalOf({ ...message, id: nest }).details["path"]).toBe("id");
    expect(refusalOf({ type: nest }).details["path"]).toBe("type");
  });
});

/** Every object and array of a value, itself first. */
function partsOf(value: unknown): object[] {
  if (typeof value !== "object" || value === null) return [];
  return [value, ...Object.values(value).flatMap(partsOf)];
}
