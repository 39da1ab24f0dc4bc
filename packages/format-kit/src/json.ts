import type { JsonObject, JsonValue } from "@agent-history/core";

/** Returns whether a JSON value is an object, i.e. neither an array nor `null`. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a string; `undefined` for anything else. */
export function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Returns an id or a name; `undefined` for anything but a non-empty string. */
export function nameOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Returns an index; `undefined` for anything but a number. */
export function indexOf(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/** Parses JSON text; `undefined` if it is not JSON. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return toJson(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Removes fields that are `undefined`. */
export function withoutUndefined(fields: {
  readonly [key: string]: JsonValue | undefined;
}): JsonObject {
  const found: [string, JsonValue][] = [];
  for (const [key, value] of Object.entries(fields)) {
    if (value !== undefined) found.push([key, value]);
  }
  return Object.fromEntries(found);
}

/** Converts an object to JSON; `undefined` applies the usual rules of JSON. `inner` converts a field. */
export type ReplaceObject = (
  value: object,
  inner: (field: unknown) => JsonValue,
) => JsonValue | undefined;

/** Deeper levels are cut. An entry may have 256 levels, and a message is some levels deep in its entry. */
const MAX_DEPTH = 200;

/**
 * Converts a value to JSON: `undefined` and functions are removed, `NaN` becomes `null`, -0 becomes 0, a `Date` text. Never throws: unreadable fields
 * are removed, and `null` replaces cycles and anything deeper than 200 levels.
 */
export function toJson(value: unknown, replace?: ReplaceObject): JsonValue {
  return convert(value, { replace, above: [] });
}

/** Converts an object to JSON, as {@link toJson} does. `__proto__` is an ordinary key. */
export function toJsonObject(value: object, replace?: ReplaceObject): JsonObject {
  return convertFields(value, { replace, above: [value] });
}

interface Walk {
  readonly replace: ReplaceObject | undefined;
  /** The objects that contain the value. */
  readonly above: object[];
}

function convert(value: unknown, walk: Walk): JsonValue {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value + 0 : null;
  if (typeof value !== "object") return null;
  const { above } = walk;
  if (above.length >= MAX_DEPTH || above.includes(value)) return null;
  above.push(value);
  try {
    return convertObject(value, walk);
  } catch {
    return null;
  } finally {
    above.pop();
  }
}

function convertObject(value: object, walk: Walk): JsonValue {
  const replaced = walk.replace?.(value, (field) =>
    // A replacement is one level deeper than its original.
    convert(field, { ...walk, above: [...walk.above, value, value] }),
  );
  if (replaced !== undefined) return replaced;
  if (Array.isArray(value)) return Array.from(value, (item: unknown) => convert(item, walk));
  if ("toJSON" in value && typeof value.toJSON === "function") {
    return convert(value.toJSON(), { ...walk, replace: undefined });
  }
  return convertFields(value, walk);
}

function convertFields(value: object, walk: Walk): JsonObject {
  return Object.fromEntries(
    fieldsOf(value)
      .filter(([, field]) => field !== undefined && typeof field !== "function")
      .map(([key, field]) => [key, convert(field, walk)]),
  );
}

/** Returns the readable fields. */
function fieldsOf(value: object): readonly (readonly [string, unknown])[] {
  try {
    return Object.entries(value);
  } catch {
    return keysOf(value).flatMap((key) => {
      try {
        return [[key, Reflect.get(value, key)] as const];
      } catch {
        return [];
      }
    });
  }
}

function keysOf(value: object): readonly string[] {
  try {
    return Object.keys(value);
  } catch {
    return [];
  }
}
