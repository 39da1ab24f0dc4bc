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
  const isCount = Number.isInteger(value) || value === Infinity;
  if (isCount && Number(value) >= 0) return Number(value);
  const received = typeof value === "number" ? value : typeof value;
  throw new HistoryError(
    `Expected \`${name}\` to be a non-negative integer or Infinity; got ${received}.`,
    { code, details: { option: name } },
  );
}
