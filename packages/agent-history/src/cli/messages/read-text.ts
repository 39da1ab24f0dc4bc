import { HistoryError } from "@agent-history/core";
import type { JsonValue } from "@agent-history/core";
import { transcriptLines } from "@agent-history/transcripts/node";

/** Reads a JSON file. */
export async function jsonFile(path: string): Promise<JsonValue> {
  const text = await textOf(path);
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch (cause) {
    throw new HistoryError(`Expected ${path} to hold JSON.`, {
      code: "INVALID_OPTION",
      details: { option: "file" },
      cause,
    });
  }
}

/** Reads a file, `.gz` files too. */
export async function textOf(path: string): Promise<string> {
  try {
    const lines: string[] = [];
    for await (const line of transcriptLines(path)) lines.push(line);
    return lines.join("\n");
  } catch (cause) {
    throw new HistoryError(`Cannot read ${path}.`, {
      code: "NOT_FOUND",
      details: { option: "file" },
      cause,
    });
  }
}
