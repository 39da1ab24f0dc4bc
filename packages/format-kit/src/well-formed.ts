import { parseJson } from "./json.ts";

/** Returns whether all strings of a value, including its keys, are valid Unicode. Linear; copies nothing. */
export function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isWellFormed);
  if (!isFields(value)) return true;
  for (const key in value) {
    const field = value[key];
    const isWell = typeof field === "string" ? field.isWellFormed() : isWellFormed(field);
    if (!isWell || !key.isWellFormed()) return false;
  }
  return true;
}

function isFields(value: object): value is { readonly [key: string]: unknown } {
  return !Array.isArray(value);
}

/** Returns a value with lone surrogates replaced by the replacement character; the same value if there are none. */
export function toWellFormed<Value>(value: Value): Value {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same value, with other texts
  return isWellFormed(value) ? value : (mended(value) as Value);
}

function mended(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(mended);
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [key.toWellFormed(), mended(field)]),
  );
}

const HALF_ESCAPE = /\\ud[89a-f][\da-f]{2}/iu;

/** Returns JSON text without lone surrogates, including escaped ones. */
export function wellFormedJson(text: string): string {
  const value = HALF_ESCAPE.test(text) ? parseJson(text) : undefined;
  return value === undefined || isWellFormed(value) ? text : JSON.stringify(mended(value));
}
