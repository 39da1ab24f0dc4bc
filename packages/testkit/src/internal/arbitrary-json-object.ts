import type { JsonObject, JsonValue } from "@agent-history/core";
import * as fc from "fast-check";

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
