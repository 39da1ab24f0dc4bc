import { HistoryError } from "@agent-history/core";

/** Refuses what is no list of objects with a type and an id, before anything is read of it. */
export function requireEntries(given: unknown): void {
  if (Array.isArray(given) && given.every(isNamed)) return;
  throw new HistoryError(
    "Expected entries: JSON objects with a type and an id; got another value. Nothing was written.",
    { code: "INVALID_ENTRY", details: { path: "" } },
  );
}

function isNamed(value: unknown): boolean {
  try {
    if (typeof value !== "object" || value === null) return false;
    return (
      typeof Reflect.get(value, "type") === "string" && typeof Reflect.get(value, "id") === "string"
    );
  } catch {
    return false;
  }
}
