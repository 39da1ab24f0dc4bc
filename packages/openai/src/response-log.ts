import { responseFormat } from "./from-response-items.ts";
import type { FromResponseOptions } from "./from-response-items.ts";
import { readInstructions } from "./internal/read-instructions.ts";
import { itemsLog } from "./items-log.ts";
import type { ItemsLog } from "./items-log.ts";

/** A conversation of items that grows: each item is read once. */
export type ResponseLog = ItemsLog;

/**
 * Starts a conversation for a loop that appends: each call costs only the new items, at any length of the conversation. The entries are those of
 * `fromResponseItems` on all items. An item that you change after it was appended is not read again: use `fromResponseItems`.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if `instructions` is not a string.
 *
 * @example
 * ```ts
 * import { responseLog, toResponseItems } from "@agent-history/openai";
 *
 * const log = responseLog();
 * log.append([{ role: "user", content: "To Rome, please." }]);
 * log.append([{ type: "function_call", call_id: "c1", name: "find", arguments: "{}" }]);
 * log.append([{ type: "function_call_output", call_id: "c1", output: "Two flights." }]);
 * toResponseItems(log.entries).length;
 * // => 3
 * ```
 */
export function responseLog(options: FromResponseOptions = {}): ResponseLog {
  const { instructions, ...stamp } = options;
  const first = readInstructions(instructions, responseFormat.name, stamp);
  return itemsLog(responseFormat, stamp, first);
}
