import type { HistoryEntry } from "@agent-history/core";
import { toJson } from "@agent-history/format-kit";
import type { ReadOptions } from "@agent-history/format-kit";

import { readInstructions } from "./internal/read-instructions.ts";
import { itemsReader } from "./item-format.ts";
import type { ItemFormat } from "./item-format.ts";
import type { ResponseItemLike } from "./response-item.ts";

/** The items of the Responses API, as they are. */
export const responseFormat: ItemFormat = {
  name: "openai-responses",
  idPrefix: "item",
  pack: toJson,
};

const readItems = itemsReader(responseFormat);

/** What the entries of a conversation carry beside what its items say. */
export interface FromResponseOptions extends ReadOptions {
  /**
   * The `instructions` of the request: a `system_message` before all others, so that they are counted. `toResponseItems` leaves it out, because
   * the request sends them itself. Default: none.
   */
  readonly instructions?: string | null | undefined;
}

/**
 * Converts items of OpenAI's Responses API to entries, so that `toResponseItems` restores the same items, unknown fields
 * and unknown kinds included. Linear.
 *
 * Neighboring items of an answer (reasoning, a message, calls, what the provider ran itself) are one `action`, or without
 * calls one `assistant_message`; a message that follows another one begins a new entry. An item that answers a call is an
 * `observation` (so is what a program gave after calls of its own were answered), a compaction a `summary`, a change of tools or settings a `system_message`. An item of no known kind stays in
 * the answer whole, as an opaque part.
 *
 * With `instructions`, one entry more stands first.
 *
 * Without `newId`, ids come from position and text (`item-3-1k2x9f`), as those of `fromChatMessages` do: pass the whole
 * conversation at each call, longer each time. The same item object gives the same entry object; items that say the same as at the last call are
 * not read again.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if `instructions` is not a string, or `items` not a list: a text is `[{ role: "user", content: text }]`.
 *
 * @example
 * ```ts
 * import { fromResponseItems } from "@agent-history/openai";
 *
 * const entries = fromResponseItems([
 *   { role: "user", content: "To Rome, please." },
 *   { type: "function_call", call_id: "c1", name: "find", arguments: '{"to":"Rome"}' },
 *   { type: "function_call_output", call_id: "c1", output: "Two flights." },
 * ]);
 * entries.map(({ type }) => type);
 * // => ["user_message", "action", "observation"]
 * ```
 */
export function fromResponseItems(
  items: readonly ResponseItemLike[],
  options: FromResponseOptions = {},
): readonly HistoryEntry[] {
  const { instructions, ...stamp } = options;
  return [
    ...readInstructions(instructions, responseFormat.name, stamp),
    ...readItems(items, stamp),
  ];
}
