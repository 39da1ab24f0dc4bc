import { HistoryError } from "@agent-history/core";
import type { JsonValue } from "@agent-history/core";

import { BATCH_LIMITS } from "./prepare-batch.ts";
import { utf8Bytes } from "./utf8-bytes.ts";

/**
 * Writes a value of state as JSON.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` where it is no JSON, `TOO_LARGE` where it is larger than an entry may be.
 */
export function encodeState(value: JsonValue): string {
  const json = jsonOf(value);
  if (json === undefined) {
    throw new HistoryError(
      "Expected a value of state to be JSON; got what cannot be written: it is no JSON, cyclic, too deep, or throws. Nothing was written.",
      { code: "INVALID_OPTION", details: { option: "value" } },
    );
  }
  const actual = utf8Bytes(json);
  if (actual <= BATCH_LIMITS.entryBytes) return json;
  throw new HistoryError(
    `Expected at most ${BATCH_LIMITS.entryBytes} bytes in a value of state, got ${actual}. Nothing was written. Keep what is large in a file.`,
    { code: "TOO_LARGE", details: { limit: BATCH_LIMITS.entryBytes, actual } },
  );
}

function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
