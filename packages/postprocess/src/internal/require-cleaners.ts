import { HistoryError } from "@agent-history/core";

/** Throws unless `cleaners` of some options is a list of cleaners: objects with a `name` and a function `findSpans`. */
export function requireCleaners(options: unknown): void {
  const cleaners = isRecord(options) ? options["cleaners"] : undefined;
  if (!Array.isArray(cleaners)) throw invalid("cleaners", "a list of cleaners");
  for (const [index, cleaner] of cleaners.entries()) {
    const isCleaner =
      isRecord(cleaner) &&
      typeof cleaner["name"] === "string" &&
      typeof cleaner["findSpans"] === "function";
    if (!isCleaner) {
      throw invalid(
        `cleaners.${index}`,
        "a cleaner, which has a `name` and a function `findSpans`",
      );
    }
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

function invalid(option: string, expected: string): HistoryError {
  return new HistoryError(`Expected \`${option}\` to be ${expected}.`, {
    code: "INVALID_OPTION",
    details: { option },
  });
}
