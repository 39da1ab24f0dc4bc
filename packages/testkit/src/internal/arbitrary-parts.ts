import type { EntryBase, JsonObject, JsonValue, Source, ToolCall } from "@agent-history/core";
import * as fc from "fast-check";

import { arbitraryId } from "../arbitrary-id.ts";
import { arbitraryText } from "../arbitrary-text.ts";
import type { TextConstraints } from "../arbitrary-text.ts";

/** Which optional fields are set: every one, some of them, none. */
export type OptionalFields = "all" | "some" | "none";

/** The arbitrary of each field. */
export type Arbitraries<Fields> = { readonly [Name in keyof Fields]: fc.Arbitrary<Fields[Name]> };

/** Generates plain objects that have the required fields, and of the optional ones as many as `which` says. */
export function arbitraryFields<Required extends object, Optional extends object = object>(
  which: OptionalFields,
  required: Arbitraries<Required>,
  optional: Arbitraries<Optional>,
): fc.Arbitrary<Required & Partial<Optional>>;
// The body knows no names of fields; `fc.record` keeps to those it is given.
export function arbitraryFields(
  which: OptionalFields,
  required: Arbitraries<Record<string, unknown>>,
  optional: Arbitraries<Record<string, unknown>>,
): fc.Arbitrary<object> {
  const model = which === "none" ? required : { ...required, ...optional };
  const requiredKeys = Object.keys(which === "all" ? model : required);
  return fc.record(model, { noNullPrototype: true, requiredKeys });
}

/** Generates plain objects with these fields. */
export function arbitraryRecord<Fields extends object>(
  fields: Arbitraries<Fields>,
): fc.Arbitrary<Fields> {
  return arbitraryFields<Fields>("none", fields, {});
}

/** Generates `usual`, and in the given percentage of cases a value of `arbitrary`; shrinks to `usual`. */
export function sometimes<Usual, Value>(
  percent: number,
  arbitrary: fc.Arbitrary<Value>,
  usual: Usual,
): fc.Arbitrary<Usual | Value> {
  return fc.oneof(
    { withCrossShrink: percent < 100 },
    { weight: 100 - percent, arbitrary: fc.constant(usual) },
    { weight: percent, arbitrary },
  );
}

/** Generates JSON objects, each a new one; a key may be `__proto__`. `0` is never `-0`, which JSON cannot hold. */
export const arbitraryJsonObject: fc.Arbitrary<JsonObject> = fc
  .oneof(
    fc.constantFrom(
      "{}",
      '{"a":1}',
      '{"a":null,"b":[true,{"c":"d"}]}',
      '{"__proto__":{"polluted":true},"constructor":1}',
      '{"":"","*":1.5e-7,"\\u2028":"\\ud83d\\udc4d"}',
      '{"type":"x","id":"y","content":"z"}',
    ),
    fc
      .tuple(
        fc.constantFrom("a", "type", "cache_control", "é", "0", "__proto__"),
        fc.oneof(fc.integer(), fc.boolean(), fc.constantFrom(null, "", "text", 0.1)),
      )
      .map(([key, value]) => `{${JSON.stringify(key)}:${JSON.stringify(value)}}`),
  )
  .map(parseObject);

/** Generates JSON values: objects, lists, scalars. */
export const arbitraryJsonValue: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constantFrom<JsonValue[]>(null, true, 0, "", "text", 1.5),
  arbitraryJsonObject,
  fc.array(arbitraryJsonObject, { maxLength: 2 }),
);

function parseObject(text: string): JsonObject {
  const parsed: JsonObject = JSON.parse(text);
  return parsed;
}

/** Generates numbered pieces of evidence. */
export function arbitrarySource(text: TextConstraints): fc.Arbitrary<Source> {
  return arbitraryFields(
    "some",
    { number: fc.nat({ max: 99 }), id: arbitraryId(), text: arbitraryText(text) },
    {
      title: fc.constantFrom("Guide", "A [b] (c)", ""),
      uri: fc.constantFrom("docs/guide.md#L10-L14", "https://example.com/?q=a b", ""),
    },
  );
}

/** Generates names of tools. */
export const arbitraryToolName: fc.Arbitrary<string> = fc.constantFrom(
  "search",
  "read_file",
  "list files",
  "mcp__docs__get-page",
  "__proto__",
);

/** Generates calls; the arguments are JSON of an object, malformed JSON, or any text. */
export function arbitraryToolCall(
  text: TextConstraints,
  id: fc.Arbitrary<string> = arbitraryId(),
): fc.Arbitrary<ToolCall> {
  return arbitraryFields(
    "some",
    {
      id,
      name: arbitraryToolName,
      arguments: fc.oneof(
        { weight: 3, arbitrary: arbitraryJsonObject.map((value) => JSON.stringify(value)) },
        { weight: 1, arbitrary: fc.constantFrom("", "{", '{"query":"a') },
        { weight: 1, arbitrary: arbitraryText(text) },
      ),
    },
    { kind: fc.constantFrom("function", "custom", "approval"), extra: arbitraryJsonObject },
  );
}

const SOURCES: Source[] = [
  { number: 0, id: "a", text: "Notes of the day.", title: "Guide", uri: "docs/guide.md#L10-L14" },
  { number: 3, id: "__proto__", text: "" },
  { number: 4, id: "{}", text: "As [source3] and [source] say.", title: "A [b] (c)" },
  { number: 9, id: "日本 👍", text: "<b>日本語</b>\n\n# 1", uri: "https://example.com/?q=a b" },
];

/** Generates sources from one small list, so that a number refers to one source; most have none. */
export const arbitraryEvidence: fc.Arbitrary<{ readonly sources?: readonly Source[] }> = sometimes(
  30,
  fc.shuffledSubarray(SOURCES, { maxLength: 3 }).map((sources) => ({ sources })),
  {},
);

/** Optional fields of any entry; with a format, it was read from a message of that format. */
export type Extras = Pick<EntryBase, "pinned" | "metadata"> & { readonly format?: string };

export const arbitraryExtras: fc.Arbitrary<Extras> = sometimes<Extras, Extras>(
  15,
  arbitraryFields(
    "some",
    {},
    {
      pinned: fc.boolean(),
      metadata: arbitraryJsonObject,
      format: fc.constantFrom("openai-chat", "anthropic"),
    },
  ),
  {},
);
