import { HistoryError } from "@agent-history/core";
import type { HistoryEntry, JsonValue } from "@agent-history/core";
import {
  isJsonObject,
  positionIds,
  readContent,
  readMessages,
  stampDrafts,
  toJson,
} from "@agent-history/format-kit";
import type { ReadOptions } from "@agent-history/format-kit";

import type { GoogleContentLike } from "./google-content.ts";
import { googleFormat } from "./internal/google-format.ts";
import { googleParts } from "./internal/google-parts.ts";

/** What the entries of a conversation carry beside what its contents say. */
export interface FromContentsOptions extends ReadOptions {
  /** The `systemInstruction` of the request, a text, a content or parts: a `system_message` before all others, so that it is counted. Default: none. */
  readonly systemInstruction?: string | object | undefined;
}

/**
 * Converts contents of Gemini's API to entries, so that `toContents` restores the same contents, unknown fields and unknown parts included. Linear.
 *
 * A model's content with function calls is an `action`, each `functionResponse` an `observation`; what stands beside responses is a `user_message`. Thought signatures stay in the
 * very part that they came in. Calls and responses without ids are paired by name, in order.
 *
 * Without `newId`, ids come from position and text (`google-3-1k2x9f`): pass the whole conversation at each call, longer each time, and the entries of the contents before keep
 * their ids, so that a reducer's previous plan goes on.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if `contents` is not a list, or `systemInstruction` is neither text, content nor parts.
 *
 * @example
 * ```ts
 * import { fromContents } from "@agent-history/google";
 *
 * const contents = [{ role: "user", parts: [{ text: "To Rome, please." }] }];
 * const entries = fromContents(contents, { systemInstruction: "You book flights." });
 * entries.map(({ type }) => type);
 * // => ["system_message", "user_message"]
 * ```
 */
export function fromContents(
  contents: readonly GoogleContentLike[],
  options: FromContentsOptions = {},
): readonly HistoryEntry[] {
  const { systemInstruction, ...stamp } = options;
  const entries = readMessages(googleFormat, contents, stamp);
  if (systemInstruction === undefined) return entries;
  return [...readInstruction(systemInstruction, stamp), ...entries];
}

/** Returns the instruction of a request as an entry of a format. */
export function readInstruction(
  instruction: string | object,
  { newId, ...stamp }: ReadOptions,
  format: string = googleFormat.name,
): readonly HistoryEntry[] {
  const wire = partsIn(toJson(instruction));
  if (wire === undefined) {
    throw new HistoryError("Expected `systemInstruction` to be a text, a content or parts.", {
      code: "INVALID_OPTION",
      details: { option: "systemInstruction" },
    });
  }
  const says = { type: "system_message", content: readContent(wire, googleParts) } as const;
  return stampDrafts([{ says, extra: { as: "system" } }], {
    format,
    nextId: newId ?? positionIds({ prefix: "system", index: 0, text: JSON.stringify(wire) }),
    isDerived: newId === undefined,
    ...stamp,
  });
}

function partsIn(value: JsonValue): JsonValue | undefined {
  if (typeof value === "string" || Array.isArray(value)) return value;
  if (!isJsonObject(value)) return undefined;
  return "parts" in value ? partsIn(value["parts"] ?? []) : [value];
}
