import { HistoryError } from "@agent-history/core";
import type { JsonValue } from "@agent-history/core";
import { findNonJson } from "@agent-history/core/schema";

import { utf8Bytes } from "../utf8-bytes.ts";
import { BATCH_LIMITS } from "./prepare-batch.ts";

/**
 * Writes a value of state as JSON.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if JSON would change or lose a part of it, `TOO_LARGE` where it is larger than an entry may be.
 */
export function encodeState(value: JsonValue): string {
  const found = findNonJson(value);
  if (found !== undefined) {
    throw new HistoryError(
      `Expected a value of state to be JSON; got ${found.kind}. Nothing was written.`,
      { code: "INVALID_OPTION", details: { option: "value", path: found.path } },
    );
  }
  const json = JSON.stringify(value);
  const actual = utf8Bytes(json);
  if (actual <= BATCH_LIMITS.entryBytes) return json;
  throw new HistoryError(
    `Expected at most ${BATCH_LIMITS.entryBytes} bytes in a value of state, got ${actual}. Nothing was written. Store large values in a file.`,
    { code: "TOO_LARGE", details: { limit: BATCH_LIMITS.entryBytes, actual } },
  );
}
