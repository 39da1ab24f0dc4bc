import type { HistoryEntry, Viewer } from "@agent-history/core";

import type { AgentItemLike } from "./agent-item.ts";
import { writeAgentItems } from "./internal/agent-items.ts";

/**
 * Converts entries to items of the OpenAI Agents SDK, in their order. An entry that is still the object that `fromItems` gave becomes the same item objects again; one that was changed since, items that say
 * what it says now. Entries of another origin read as core's `messageRole` says. Linear.
 *
 * @param viewer - Whose prompt it is: one's own `final` is an assistant's message, another agent's a user's. Default: nobody's.
 *
 * @example
 * ```ts
 * import { fromItems, toItems } from "@agent-history/openai-agents";
 *
 * const items = [{ role: "user", content: "To Rome, please." }];
 * toItems(fromItems(items))[0] === items[0];
 * // => true
 * ```
 */
export function toItems<Item extends object = AgentItemLike>(
  entries: readonly HistoryEntry[],
  viewer: Viewer = {},
): Item[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what came in as an item goes out as one, whatever its provider put there
  return writeAgentItems(entries, viewer) as Item[];
}
