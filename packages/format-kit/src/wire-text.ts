import type { JsonValue } from "@agent-history/core";

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
