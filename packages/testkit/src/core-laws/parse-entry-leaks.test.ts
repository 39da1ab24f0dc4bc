import { inspect } from "node:util";

import { parseEntry } from "@agent-history/core/schema";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryEntry } from "../arbitrary-entry.ts";
import { lawRuns } from "../law-runs.ts";

/** Stands in every text of the user's, and nowhere in the words of the schemas. */
const SECRET = "ψ";
/** Fields whose texts are words of the schemas. */
const WORDS = new Set(["type", "kind", "role", "outcome", "detail", "trust"]);
/** Fields whose keys are the user's. */
const JSON_FIELDS = new Set(["metadata", "extra", "data"]);
/** What an error may quote. */
const NAMES = new Set(["id", "type"]);

const junk = fc.constantFrom<unknown[]>(
  SECRET,
  { [SECRET]: SECRET },
  { type: SECRET, kind: SECRET, [SECRET]: SECRET },
  [SECRET],
  [{ type: SECRET, [SECRET]: SECRET }],
  new Map([[SECRET, SECRET]]),
  Number.NaN,
  undefined,
);

describe("parseEntry", () => {
  it("never quotes content, whatever is broken", () => {
    let refusals = 0;
    const numRuns = lawRuns(600);
    const marked = arbitraryEntry({ optional: "all" }).map(markEntry);
    fc.assert(
      fc.property(marked, fc.nat(), fc.nat(), junk, (entry, partAt, fieldAt, value) => {
        const parts = partsOf(entry);
        const part = parts[partAt % parts.length] ?? entry;
        const fields = [...Object.keys(part), SECRET].filter(
          (field) => part !== entry || !NAMES.has(field),
        );
        Reflect.set(part, fields[fieldAt % fields.length] ?? SECRET, value);
        const refusal = refusalOf(entry);
        if (refusal !== undefined) refusals += 1;
        const shown = inspect(refusal, { depth: Infinity, maxStringLength: null });
        expect(shown).not.toContain(SECRET);
      }),
      { numRuns },
    );
    expect(refusals).toBeGreaterThan(numRuns / 2);
  });
});

function refusalOf(value: unknown): unknown {
  try {
    parseEntry(value);
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Marks every text of an entry and every key of its JSON fields; its own id and type stay. */
function markEntry(entry: object): object {
  return Object.fromEntries(
    Object.entries(entry).map(([key, value]) => [key, NAMES.has(key) ? value : mark(value, key)]),
  );
}

function mark(value: unknown, field: string): unknown {
  if (typeof value === "string") return WORDS.has(field) ? value : `${SECRET}${value}`;
  if (Array.isArray(value)) return value.map((item) => mark(item, field));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) =>
      JSON_FIELDS.has(field) ? [`${SECRET}${key}`, mark(item, field)] : [key, mark(item, key)],
    ),
  );
}

/** Every object and array of a value, itself first. */
function partsOf(value: unknown): object[] {
  if (typeof value !== "object" || value === null) return [];
  return [value, ...Object.values(value).flatMap(partsOf)];
}
