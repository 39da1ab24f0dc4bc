import { HistoryError } from "@agent-history/core";
import type { JsonValue } from "@agent-history/core";

/**
 * Reads a value of state that `encodeState` wrote.
 *
 * @throws `HistoryError` with code `THREAD_CORRUPT` if it is no JSON. It quotes nothing.
 */
export function decodeState(text: string): JsonValue {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch {
    throw new HistoryError(
      "Expected a value of state to be JSON. Restore it from a backup, or delete the thread.",
      {
        code: "THREAD_CORRUPT",
        details: { reason: "state" },
      },
    );
  }
}
