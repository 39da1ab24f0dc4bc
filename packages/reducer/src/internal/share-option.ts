import { HistoryError } from "@agent-history/core";

/** Checks a share. */
export function shareOption(name: string, value: number): number {
  if (value > 0 && value <= 1) return value;
  throw new HistoryError(`Expected \`${name}\` to be above 0 and at most 1, got ${value}.`, {
    code: "INVALID_OPTION",
    details: { option: name },
  });
}
