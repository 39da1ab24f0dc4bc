/** Reads a field of what may be anything. */
export function fieldOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}

/** Reads a list; what is none has no items. */
export function listAt(value: unknown, key: string): readonly unknown[] {
  const field = fieldOf(value, key);
  return Array.isArray(field) ? field : [];
}

/** Reads a text; what is none is empty. */
export function textAt(value: unknown, key: string): string {
  const field = fieldOf(value, key);
  return typeof field === "string" ? field : "";
}

/** Returns whether a text says anything. */
export function isBlank(text: string): boolean {
  return text.trim() === "";
}
