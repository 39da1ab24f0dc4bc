import { isDeepStrictEqual } from "node:util";
import { runInNewContext } from "node:vm";

import { ENTRY_TYPES, isHistoryError } from "@agent-history/core";
import type { HistoryError } from "@agent-history/core";
import { parseEntry } from "@agent-history/core/stored-form";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { readBySchema } from "../../test-support/read-by-schema.ts";
import { arbitraryEntry } from "../arbitrary-entry.ts";
import { lawRuns } from "../law-runs.ts";
import { strangeEntries } from "../strange-values.ts";

/** What no field takes, or only some. */
const ODD: readonly unknown[] = [
  [undefined, null, true, 0, -0, -1, 1.5, 2 ** 53, Number.NaN, Infinity, 7n],
  ["", "agent:", "agent:\n", "thread", "user", "low", "function", "error", Symbol("s")],
  [[], [undefined], Array(1), {}, Object.create(null), new Date(0), new Map(), () => 0],
  [runInNewContext("({ a: [{}] })"), { type: "text" }, { kind: "url" }, [{ type: "image" }]],
  [Object.assign([], { type: "own", id: "a", createdAtMs: 0 })],
].flat();

const odd = fc.oneof(fc.constantFrom(...ODD), fc.jsonValue());

/** What is done to one object or list anywhere in an entry. */
type Damage = (holder: object, key: string, value: unknown) => void;

const DAMAGES: readonly Damage[] = [
  (holder, key, value) => Reflect.set(holder, key, value),
  (holder, key) => Reflect.deleteProperty(holder, key),
  (holder, _, value) => Reflect.set(holder, "unknown", value),
  (holder, _, value) =>
    Object.defineProperty(holder, "__proto__", { value, enumerable: true, configurable: true }),
  (holder, _, value) => Object.setPrototypeOf(holder, { inherited: value }),
  (holder) => Object.setPrototypeOf(holder, null),
  (holder) => Object.setPrototypeOf(holder, Date.prototype),
  (holder, key) => {
    const { [key]: inherited, ...own } = holder as Record<string, unknown>;
    for (const name of Object.keys(holder)) Reflect.deleteProperty(holder, name);
    Object.setPrototypeOf(Object.assign(holder, own), { [key]: inherited });
  },
  (holder, key) => Object.defineProperty(holder, key, { enumerable: false }),
  // One that no enumeration shows, in whose place an unknown one stands.
  (holder, key, value) =>
    Object.assign(Object.defineProperty(holder, key, { enumerable: false }), { unknown: value }),
  (holder, _, value) => Reflect.set(holder, Symbol("unseen"), value),
  (holder, key) => {
    const value: unknown = Reflect.get(holder, key);
    Object.defineProperty(holder, key, { get: () => value, enumerable: true });
  },
  (holder) => Object.assign(holder, { [Symbol.iterator]: () => [][Symbol.iterator]() }),
];

const damaged = fc
  .tuple(
    arbitraryEntry({ optional: "all" }),
    fc.nat(),
    odd,
    fc.constantFrom(...DAMAGES),
    fc.boolean(),
  )
  .map(([entry, at, value, damage, isOwn]) => {
    const changed = structuredClone(isOwn ? { ...entry, type: "own" } : entry);
    const holders = holdersOf(changed);
    const [holder, key] = holders[at % holders.length] ?? [changed, "id"];
    damage(holder, key, value);
    return changed;
  });

function holdersOf(value: unknown): (readonly [holder: object, key: string])[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    [value, key] as const,
    ...holdersOf(inner),
  ]);
}

/** Reads a value both ways, and says what became of it. */
function expectTheSame(value: unknown): "taken" | "refused" | "unreadable" {
  const read = readBySchema(value);
  const parsed = parsedOf(value);
  if (read !== undefined && "entry" in read) {
    expect(parsed).toHaveProperty("entry");
    const { entry } = parsed as { readonly entry: unknown };
    expect(isDeepStrictEqual(entry, read.entry)).toBe(true);
    expect(JSON.stringify(entry)).toBe(JSON.stringify(read.entry));
    expect(isFrozenWhole(entry)).toBe(true);
    expect(isFrozenWhole(read.entry)).toBe(true);
    return "taken";
  }
  const { error } = parsed as { readonly error: HistoryError };
  expect(error).toHaveProperty("code", "INVALID_ENTRY");
  if (read === undefined || error.message.includes("got what cannot be read")) return "unreadable";
  expect(error.details["path"]).toBe(read.path);
  expect(error.message).toContain(read.expected);
  return "refused";
}

function parsedOf(value: unknown): { readonly entry: unknown } | { readonly error: unknown } {
  try {
    return { entry: parseEntry(value) };
  } catch (error) {
    expect(isHistoryError(error)).toBe(true);
    return { error };
  }
}

function isFrozenWhole(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozenWhole);
}

describe("parseEntry, beside the schemas", () => {
  it.each(ENTRY_TYPES)("takes a sound %s as they do", (type) => {
    fc.assert(
      fc.property(arbitraryEntry({ type, optional: "some" }), (entry) => {
        expect(expectTheSame(entry)).toBe("taken");
      }),
      { numRuns: lawRuns(60) },
    );
  });

  it("takes of damaged entries exactly what they take, gives the same, and refuses for the same reason", () => {
    let taken = 0;
    const numRuns = lawRuns(3000);
    fc.assert(
      fc.property(damaged, (value) => {
        const outcome = expectTheSame(value);
        expect(outcome).not.toBe("unreadable");
        if (outcome === "taken") taken += 1;
      }),
      { numRuns },
    );

    expect(taken).toBeGreaterThan(numRuns / 20);
    expect(taken).toBeLessThan((numRuns * 19) / 20);
  });

  it("takes of malformed values exactly what they take: those that throw, proxies, cycles and nests", () => {
    const samples = ENTRY_TYPES.flatMap((type) =>
      fc.sample(arbitraryEntry({ type, optional: "all" }), { numRuns: 1, seed: 7 }),
    );
    const strange: readonly unknown[] = strangeEntries<object>(samples);
    for (const value of strange) expectTheSame(value);

    expect(strange.length).toBeGreaterThan(1000);
  });
});
