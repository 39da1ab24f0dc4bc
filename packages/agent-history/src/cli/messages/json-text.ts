import { HistoryError } from "@agent-history/core";
import type { JsonValue } from "@agent-history/core";

/** Parses a line of several; nothing for an empty one. */
export function parsedLine(line: string, index: number): readonly JsonValue[] {
  if (line.trim() === "") return [];
  const value = parsed(line);
  if (value !== undefined) return [value];
  throw invalidInput(
    `Expected a JSON document, or one on each line. Line ${index + 1} is none: correct it, or remove it.`,
  );
}

/** Parses JSON; `undefined` for what is none. */
export function parsed(text: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** Writes a document as lines, one for each of a list. */
export function jsonLines(value: JsonValue): readonly string[] {
  return listOf(value).map((one) => JSON.stringify(one));
}

/** A list as it is, another value as a list of one. */
export function listOf(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value : [value];
}

/** An error about what was read. */
export function invalidInput(message: string): HistoryError {
  return new HistoryError(message, { code: "INVALID_OPTION", details: { option: "file" } });
}
