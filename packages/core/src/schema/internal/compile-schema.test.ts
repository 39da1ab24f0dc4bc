import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { historyEntrySchema } from "../history-entry-schema.ts";
import { compileSchema } from "./compile-schema.ts";
import { count, nonEmptyText, text } from "./scalars.ts";
import { sealed } from "./sealed.ts";

const copy = compileSchema(historyEntrySchema);
const agent = { id: "w", role: "worker" };
const base = {
  id: "e1",
  createdAtMs: 1,
  turnId: "t",
  phaseId: 1,
  taskId: "k",
  agent,
  pinned: true,
};
const call = { id: "c", name: "n", arguments: "{}", callerId: "d" };
const SOUND: readonly object[] = [
  { type: "user_message", ...base, content: "a", rendered: "b" },
  { type: "action", ...base, content: "", toolCalls: [call, { ...call, extra: { a: [1] } }] },
  {
    type: "observation",
    ...base,
    callId: "c",
    toolName: "n",
    outcome: "error",
    content: [{ type: "text", text: "" }],
  },
  {
    type: "task",
    ...base,
    content: "a",
    from: agent,
    origin: { format: "f", message: "m", index: 0, derivedId: true },
  },
  {
    type: "summary",
    ...base,
    content: "a",
    strategy: "s",
    trust: "user",
    view: "agent:w",
    covers: [{ from: "a", to: "b" }],
  },
  {
    type: "attachment",
    ...base,
    messageId: "m",
    content: "a",
    metadata: { any: { json: [null] } },
  },
];

/** A sound entry with one value anywhere in it replaced, removed or added. */
const mutated = fc
  .tuple(
    fc.constantFrom(...SOUND),
    fc.nat(),
    fc.oneof(
      fc.constantFrom(undefined, null, -0, Number.NaN, "", [], {}, 2 ** 53, 1.5, -1, new Date(0), [
        undefined,
      ]),
      fc.jsonValue(),
    ),
    fc.constantFrom("replace", "remove", "add", "inherit"),
  )
  .map(([entry, at, value, how]) => {
    const changed: unknown = structuredClone(entry);
    const locations = holdersOf(changed);
    const [holder, key] = locations[at % locations.length] ?? [{}, ""];
    if (how === "remove") Reflect.deleteProperty(holder, key);
    else if (how === "inherit") Object.setPrototypeOf(holder, { inherited: value });
    else Reflect.set(holder, how === "add" ? "unknown" : key, value);
    return changed;
  });

function holdersOf(value: unknown): (readonly [holder: object, key: string])[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    [value, key] as const,
    ...holdersOf(inner),
  ]);
}

function isFrozen(value: unknown): boolean {
  return typeof value !== "object" || value === null
    ? true
    : Object.isFrozen(value) && Object.values(value).every(isFrozen);
}

describe("compileSchema", () => {
  it("takes what it was made for by itself", () => {
    for (const entry of SOUND) {
      expect(copy(entry)).toStrictEqual(entry);
      expect(copy(entry)).not.toBe(entry);
    }
  });

  it("gives what the schema gives, in its order of fields and frozen, or leaves it to the schema", () => {
    fc.assert(
      fc.property(mutated, (entry) => {
        const copied = copy(entry);
        if (copied === undefined) return;
        const parsed = historyEntrySchema.parse(entry);
        expect(copied).toStrictEqual(parsed);
        expect(JSON.stringify(copied)).toBe(JSON.stringify(parsed));
        expect(isFrozen(copied)).toBe(true);
      }),
      { numRuns: 2000, seed: 1 },
    );
  });

  it("leaves to the schema what throws when it is read, and fields that no enumeration shows", () => {
    const [entry] = SOUND;
    const throwing = Object.defineProperty({ ...entry }, "content", {
      enumerable: true,
      get: () => {
        throw new Error("a secret");
      },
    });
    expect(copy(throwing)).toBe(undefined);
    expect(copy(Object.defineProperty({ ...entry }, "content", { enumerable: false }))).toBe(
      undefined,
    );
    expect(
      copy(
        JSON.parse('{"__proto__":1,"type":"user_message","id":"a","createdAtMs":0,"content":""}'),
      ),
    ).toBe(undefined);
  });

  it("knows no schema but those of the scalars by what they accept", () => {
    const schema = sealed({ a: text, b: nonEmptyText, c: count, d: z.string().max(1) });
    const compiled = compileSchema(schema);
    expect(compiled({ a: "", b: "b", c: -0, d: "d" })).toStrictEqual({
      a: "",
      b: "b",
      c: 0,
      d: "d",
    });
    for (const wrong of [{ b: "" }, { c: -1 }, { d: "de" }]) {
      expect(compiled({ a: "", b: "b", c: 0, d: "d", ...wrong })).toBe(undefined);
    }
  });
});
