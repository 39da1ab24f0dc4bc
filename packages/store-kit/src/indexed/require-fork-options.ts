import { HistoryError } from "@agent-history/core";

/**
 * Refuses a fork without a place to begin at, and one whose name can be none: a name is a text without `/`.
 *
 * @throws `HistoryError` with code `INVALID_OPTION`.
 */
export function requireForkOptions({
  at,
  as,
}: {
  readonly at: unknown;
  readonly as: unknown;
}): void {
  if (typeof as !== "string" || as === "" || as.includes("/")) {
    throw invalid("as", "a non-empty string without `/`");
  }
  if (typeof at !== "string") throw invalid("at", "the id of an entry of the thread");
}

function invalid(option: string, expected: string): HistoryError {
  return new HistoryError(`Expected \`${option}\` to be ${expected}.`, {
    code: "INVALID_OPTION",
    details: { option },
  });
}
