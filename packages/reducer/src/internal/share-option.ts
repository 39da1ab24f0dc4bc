import { HistoryError } from "@agent-history/core";

/** Checks a share: above 0, or from 0 where none is a choice too. */
export function shareOption(name: string, value: number, isFromZero = false): number {
  if ((isFromZero ? value >= 0 : value > 0) && value <= 1) return value;
  const range = isFromZero ? "from 0 to 1" : "above 0 and at most 1";
  throw new HistoryError(`Expected \`${name}\` to be ${range}, got ${value}.`, {
    code: "INVALID_OPTION",
    details: { option: name },
  });
}
