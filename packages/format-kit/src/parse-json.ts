import type { JsonValue } from "@agent-history/core";

import { toJson } from "./to-json.ts";

/** Parses JSON text; `undefined` where it is none. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return toJson(JSON.parse(text));
  } catch {
    return undefined;
  }
}
