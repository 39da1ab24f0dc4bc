import type { JsonObject, JsonValue } from "@agent-history/core";
import * as fc from "fast-check";

import { arbitraryText } from "../arbitrary-text.ts";

/** Keys of the formats and of ours, and such as no format has. */
const KEYS = [
  ..."type role id name content text arguments input output tool_calls call_id".split(" "),
  ..."toolCallId reason fields without inner as index item joins field result $url".split(" "),
  "__proto__",
  "constructor",
  "",
];

const value: fc.Arbitrary<JsonValue> = fc.oneof(
  arbitraryText({ maxLength: 40 }),
  fc.constantFrom<JsonValue[]>(null, "", true, 0, -1.5, [], {}),
  fc.constantFrom<JsonValue[]>("text", "tool_use", "refusal", "compaction", "assistant", "user"),
  fc
    .tuple(fc.constantFrom(...KEYS), fc.constantFrom<JsonValue[]>(null, "x y", [1], {}))
    .map(([key, field]): JsonValue => Object.fromEntries([[key, field]])),
);

/** What is done to one place of a message. `at` says which: a share of the way through all its places. */
interface Damage {
  readonly at: number;
  readonly kind: "drop" | "replace" | "add" | "repeat";
  readonly key: string;
  readonly value: JsonValue;
}

const damage: fc.Arbitrary<Damage> = fc.record({
  at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  kind: fc.constantFrom("drop", "replace", "add", "repeat"),
  key: fc.constantFrom(...KEYS),
  value,
});

/** Generates conversations of the messages of a page, in any order, each with up to three fields lost, changed or added. */
export function arbitraryDamagedMessages(
  page: readonly JsonObject[],
): fc.Arbitrary<readonly JsonObject[]> {
  const message = fc
    .tuple(fc.constantFrom(...page), fc.array(damage, { maxLength: 3 }))
    .map(([whole, damages]) => damages.reduce(applyDamage, whole));
  return fc.array(message, { maxLength: 6 });
}

function applyDamage(message: JsonObject, { at, kind, key, value: item }: Damage): JsonObject {
  const damaged = structuredClone(message);
  const places = placesIn(damaged);
  const place = places[Math.floor(at * places.length)] ?? damaged;
  const keys = Object.keys(place);
  const index = key.length % Math.max(keys.length, 1);
  const own = keys[index] ?? key;
  if (Array.isArray(place)) {
    if (kind === "repeat") for (const one of place.slice(index)) place.push(one);
    else place.splice(index, kind === "add" ? 0 : 1, ...(kind === "drop" ? [] : [item]));
  } else if (kind === "drop") {
    Reflect.deleteProperty(place, own);
  } else if (kind !== "repeat") {
    // Not by assignment: a field may be called `__proto__`.
    const field = { value: item, configurable: true, enumerable: true, writable: true };
    Object.defineProperty(place, kind === "add" ? key : own, field);
  }
  return damaged;
}

/** The objects and lists of a value, itself included. */
function placesIn(whole: JsonValue): readonly object[] {
  if (typeof whole !== "object" || whole === null) return [];
  return [whole, ...Object.values(whole).flatMap((item: JsonValue) => placesIn(item))];
}
