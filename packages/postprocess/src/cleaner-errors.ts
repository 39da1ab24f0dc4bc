import { HistoryError } from "@agent-history/core";

/** Throws unless an option is a text and the condition holds. */
export function assertOption(
  condition: boolean,
  option: string,
  value: unknown,
  expected: string,
): void {
  if (condition && typeof value === "string") return;
  const received = JSON.stringify(value);
  throw new HistoryError(`Expected \`${option}\` to be ${expected}; got ${received}.`, {
    code: "INVALID_OPTION",
    details: { option, expected, received },
  });
}

/** The error of a cleaner that did more than cut; quotes no text. */
export function cleanerFailed(cleaner: string): HistoryError {
  return new HistoryError(
    `Expected \`${cleaner}\` to remove only text that was added; it changed other text.`,
    {
      code: "CLEANER_FAILED",
      details: { cleaner },
    },
  );
}
