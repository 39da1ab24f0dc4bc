import { HistoryError } from "./history-error.ts";
import type { HistoryErrorCode } from "./history-error.ts";

/**
 * Checks that an option is a count (L7): an integer of 0 or more, or `Infinity`. Returns it.
 *
 * @param name - The option's name, for the error.
 * @param code - The error's code. Default `INVALID_OPTION`.
 * @throws `HistoryError` on a negative number, a fraction, `NaN` or anything else.
 */
export function countOption(
  name: string,
  value: unknown,
  code: HistoryErrorCode = "INVALID_OPTION",
): number {
  if (typeof value === "number" && value >= 0 && (Number.isInteger(value) || value === Infinity)) {
    return value;
  }
  const received = typeof value === "number" ? String(value) : typeof value;
  throw new HistoryError(
    `Expected \`${name}\` to be an integer of 0 or more, or Infinity; got ${received}. 0 means none, Infinity means all.`,
    { code, details: { option: name, received } },
  );
}
