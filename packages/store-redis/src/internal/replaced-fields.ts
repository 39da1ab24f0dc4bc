import type { ReplacedEntry } from "@agent-history/store-kit/indexed";

import { encodeField } from "./encode-key-part.ts";
import { threadCorrupt } from "./thread-errors.ts";

/** Names the field of what stood under an id. */
export function replacedField(id: string): string {
  return `e:${encodeField(id)}`;
}

/** Names the field of an operation. */
export function operationField(id: string): string {
  return `i:${encodeField(id)}`;
}

/** Writes what stood under an id, oldest first. */
export function encodeReplaced(entries: readonly ReplacedEntry[]): string {
  return JSON.stringify(entries);
}

/** Returns back what {@link encodeReplaced} wrote. */
export function decodeReplaced(value: string): readonly ReplacedEntry[] {
  try {
    const entries: readonly ReplacedEntry[] = JSON.parse(value);
    if (Array.isArray(entries)) return entries;
  } catch {
    // Said below: the engine's own error quotes the text.
  }
  throw threadCorrupt("replaced");
}
