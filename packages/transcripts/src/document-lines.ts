import type { JsonValue } from "@agent-history/core";

/**
 * Turns a JSON document into the lines that a reader takes: one for each message of a list, one for a request or a trajectory.
 *
 * @throws `SyntaxError` if it is no JSON.
 *
 * @example
 * ```ts
 * import { documentLines } from "@agent-history/transcripts";
 *
 * documentLines('[\n  { "role": "user", "content": "Hello." }\n]');
 * // => ['{"role":"user","content":"Hello."}']
 * ```
 */
export function documentLines(text: string): readonly string[] {
  const value: JsonValue = JSON.parse(text);
  const values = Array.isArray(value) ? value : [value];
  return values.map((one) => JSON.stringify(one));
}

/** Whether a file that begins with a line is one JSON document, which may span lines, and not one object on each line. */
export function beginsDocument(line: string): boolean {
  return /^\s*(?:\[|\{\s*$)/.test(line);
}
