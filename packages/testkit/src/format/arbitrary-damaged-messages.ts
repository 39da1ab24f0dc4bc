import type { JsonObject, JsonValue } from "@agent-history/core";
import { isJsonObject } from "@agent-history/format-kit";
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

function applyDamage(message: JsonObject, { at, ...done }: Damage): JsonObject {
  const target = Math.floor(at * indexesIn(message));
  const damaged = damageAt(message, { ...done, target });
  return isJsonObject(damaged) ? damaged : message;
}

interface Target extends Omit<Damage, "at"> {
  /** How many places come before the one that is damaged. */
  readonly target: number;
}

/** Counts the objects and lists of a value, itself included. */
function indexesIn(whole: JsonValue): number {
  if (typeof whole !== "object" || whole === null) return 0;
  return Object.values(whole).reduce((sum: number, item: JsonValue) => sum + indexesIn(item), 1);
}

function damageAt(whole: JsonValue, done: Target): JsonValue {
  if (typeof whole !== "object" || whole === null) return whole;
  if (done.target === 0) {
    return Array.isArray(whole) ? damageList(whole, done) : damageObject(whole, done);
  }
  let left = done.target - 1;
  const entries = Object.entries(whole).map(([key, item]): [string, JsonValue] => {
    const target = left;
    left -= indexesIn(item);
    return [key, target >= 0 && left < 0 ? damageAt(item, { ...done, target }) : item];
  });
  return Array.isArray(whole) ? entries.map(([, item]) => item) : Object.fromEntries(entries);
}

function damageObject(whole: object, { kind, key, value: item }: Target): JsonObject {
  const entries: [string, JsonValue][] = Object.entries(whole);
  const entryIndex = key.length % Math.max(entries.length, 1);
  const kept = kind === "drop" ? entries.filter((_, index) => index !== entryIndex) : entries;
  const changed = kept.map(([one, old], index): [string, JsonValue] => [
    one,
    kind === "replace" && index === entryIndex ? item : old,
  ]);
  return Object.fromEntries(kind === "add" ? [...changed, [key, item]] : changed);
}

function damageList(list: readonly JsonValue[], { kind, key, value: item }: Target): JsonValue {
  const index = key.length % Math.max(list.length, 1);
  switch (kind) {
    case "drop":
      return list.toSpliced(index, 1);
    case "replace":
      return list.toSpliced(index, 1, item);
    case "add":
      return list.toSpliced(index, 0, item);
    case "repeat":
      return [...list, ...list.slice(index)];
  }
}
