import type { HistoryEntry } from "@agent-history/core";
import type { ReadOptions } from "@agent-history/format-kit";

import type { AgentItemLike } from "./agent-item.ts";
import { readAgentItems } from "./internal/agent-items.ts";

/** What the entries of items carry beside what the items say. */
export type FromItemsOptions = ReadOptions;

/**
 * Converts items of the OpenAI Agents SDK to entries, so that `toItems` gives the same items back, unknown fields and unknown kinds included. Linear.
 *
 * Neighboring items of an answer (reasoning, a message, calls) are one `action`, or without calls one `assistant_message`. An item that answers a call is an `observation`, a compaction a `summary`. What
 * a hosted tool did stays in the answer whole, as an opaque part; an approval that it asks for is a call.
 *
 * Without `newId`, ids come from position and text (`agent-item-3-1k2x9f`): pass the whole conversation at each call, longer each time, so that a reducer's previous plan continues. The same
 * item object gives the same entry object.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if `items` is not a list: a text is `[{ role: "user", content: text }]`.
 *
 * @example
 * ```ts
 * import { fromItems } from "@agent-history/openai-agents";
 *
 * const entries = fromItems([
 *   { role: "user", content: "To Rome, please." },
 *   { type: "function_call", callId: "c1", name: "find", arguments: '{"to":"Rome"}' },
 *   { type: "function_call_result", callId: "c1", name: "find", status: "completed", output: "Two flights." },
 * ]);
 * entries.map(({ type }) => type);
 * // => ["user_message", "action", "observation"]
 * ```
 */
export function fromItems(
  items: readonly AgentItemLike[],
  options: FromItemsOptions = {},
): readonly HistoryEntry[] {
  return readAgentItems(items, options);
}
