import type { HistoryEntry } from "@agent-history/core";
import { itemsLog } from "@agent-history/openai/items";

import type { AgentItemLike } from "./agent-item.ts";
import type { FromItemsOptions } from "./from-items.ts";
import { agentFormat } from "./internal/agent-items.ts";

/** A conversation of the Agents SDK's items that grows: each item is read once. */
export interface ItemLog {
  /** The entries of all items so far: the same list each time, which `append` makes longer. */
  readonly entries: readonly HistoryEntry[];
  /**
   * Reads items, and these alone, behind those before. Returns their entries. Where they continue the answer before, its entry is replaced by a longer one, which
   * is given, too.
   */
  readonly append: (items: readonly AgentItemLike[]) => readonly HistoryEntry[];
}

/**
 * Starts a conversation for a loop that appends: each call costs only the new items, at any length of the conversation. The entries are those of
 * `fromItems` on all items, and `toItems` turns them into the same item objects. An item that you change after it was appended is not read again: use
 * `fromItems`.
 *
 * @example
 * ```ts
 * import { itemLog, toItems } from "@agent-history/openai-agents";
 *
 * const log = itemLog();
 * log.append([{ role: "user", content: "To Rome, please." }]);
 * log.append([{ type: "function_call", callId: "c1", name: "find", arguments: "{}" }]);
 * log.append([{ type: "function_call_result", callId: "c1", name: "find", status: "completed", output: "Two flights." }]);
 * toItems(log.entries).length;
 * // => 3
 * ```
 */
export function itemLog(options: FromItemsOptions = {}): ItemLog {
  return itemsLog(agentFormat, options);
}
