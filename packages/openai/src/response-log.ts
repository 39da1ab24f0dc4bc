import type { HistoryEntry } from "@agent-history/core";
import { requireMessages, waitingCalls } from "@agent-history/format-kit";

import { responseFormat } from "./from-response-items.ts";
import type { FromResponseOptions } from "./from-response-items.ts";
import { readInstructions } from "./internal/read-instructions.ts";
import { itemReader, toEntries } from "./internal/read-items.ts";
import type { EntryMaker } from "./internal/read-items.ts";
import type { ResponseItemLike } from "./response-item.ts";

/** A conversation of items that grows: each item is read once. */
export interface ResponseLog {
  /** The entries of all items so far: the same list each time, which `append` makes longer. */
  readonly entries: readonly HistoryEntry[];
  /**
   * Reads items, and these alone, behind those before. Returns their entries. Where they continue the answer before, its entry is replaced by a longer one, which
   * is given, too.
   */
  readonly append: (items: readonly ResponseItemLike[]) => readonly HistoryEntry[];
}

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
  const entries: HistoryEntry[] = [...readInstructions(instructions, responseFormat.name, stamp)];
  let made:
    | { readonly first: number; readonly items: number; readonly entries: readonly HistoryEntry[] }
    | undefined;
  const add: EntryMaker["add"] = (draft, came) => {
    const [{ index: first }] = came;
    // An answer that nothing was added to since it was shown is the same entry.
    if (made?.first !== first || made.items !== came.length) {
      made = { first, items: came.length, entries: toEntries(draft, came, responseFormat, stamp) };
    }
    return made.entries;
  };
  const reader = itemReader(responseFormat, { add, waiting: waitingCalls() });
  let count = 0;
  let open = 0;
  return {
    entries,
    append: (items) => {
      requireMessages(items);
      entries.length -= open;
      const before = entries.length;
      for (const item of items) {
        for (const entry of reader.read(item, count)) entries.push(entry);
        count += 1;
      }
      const shown = reader.peek();
      for (const entry of shown) entries.push(entry);
      open = shown.length;
      return entries.slice(before);
    },
  };
}
