import type { JsonObject, JsonValue } from "@agent-history/core";

/** Returns whether a JSON value is an object: neither a list nor `null`. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads a text; `undefined` for anything else. */
export function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Reads an id or a name; `undefined` for anything but a text that is not empty. */
export function nameOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Reads a place in a list; `undefined` for anything else. */
export function indexOf(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/** Parses JSON text; `undefined` where it is none. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return toJson(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Leaves out the fields that are not there. */
export function withoutUndefined(fields: {
  readonly [key: string]: JsonValue | undefined;
}): JsonObject {
  const found: [string, JsonValue][] = [];
  for (const [key, value] of Object.entries(fields)) {
    if (value !== undefined) found.push([key, value]);
  }
  return Object.fromEntries(found);
}

/** Returns JSON for an object that has none of its own; `undefined` leaves it to the rules of JSON. `inner` gives that of a field. */
export type ReplaceObject = (
  value: object,
  inner: (field: unknown) => JsonValue,
) => JsonValue | undefined;

/** What is nested deeper is cut. An entry may have 256 levels, and a message stands some levels deep in its entry. */
const MAX_DEPTH = 200;

/**
 * Returns what JSON keeps of a value: without `undefined` and functions, `NaN` as `null`, -0 as 0, a `Date` as text. Never throws: what cannot be
 * read is left out, and `null` stands for a cycle and for what is nested deeper than 200 levels.
 */
export function toJson(value: unknown, replace?: ReplaceObject): JsonValue {
  return convert(value, { replace, above: [] });
}

/** Returns what JSON keeps of an object, as {@link toJson} does. `__proto__` is a key like any other. */
export function toJsonObject(value: object, replace?: ReplaceObject): JsonObject {
  return convertFields(value, { replace, above: [value] });
}

interface Walk {
  readonly replace: ReplaceObject | undefined;
  /** The objects that hold the value. */
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
    // A replacement stands deeper than what it replaces.
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

/** Returns the fields that can be read. */
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
