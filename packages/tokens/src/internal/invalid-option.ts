import { HistoryError } from "@agent-history/core";

/** Creates the error of an option that can never work. */
export function invalidOption(
  option: string,
  { expected, received, hint }: { expected: string; received: unknown; hint: string },
): HistoryError {
  const shown = describe(received);
  return new HistoryError(`Expected \`${option}\` to be ${expected}; got ${shown}. ${hint}`, {
    code: "INVALID_OPTION",
    details: { option, expected, received: shown },
  });
}

function describe(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 80));
  return typeof value === "number" ? String(value) : typeof value;
}
