import type { HistoryEntry } from "@agent-history/core";
import { requireMessages, waitingCalls } from "@agent-history/format-kit";
import type { ReadOptions } from "@agent-history/format-kit";

import { itemReader, toEntries } from "./internal/read-items.ts";
import type { EntryMaker } from "./internal/read-items.ts";
import type { ItemFormat } from "./item-format.ts";
import type { ResponseItemLike } from "./response-item.ts";

/** A conversation of items that grows: each item is read once. */
export interface ItemsLog {
  /** The entries of all items so far: the same list each time, which `append` makes longer. */
  readonly entries: readonly HistoryEntry[];
  /**
   * Reads items, and these alone, behind those before. Returns their entries. Where they continue the answer before, its entry is replaced by a longer one, which
   * is given, too.
   */
  readonly append: (items: readonly ResponseItemLike[]) => readonly HistoryEntry[];
}

/**
 * Begins a conversation of a format's items. Costs what is new at each call; an item that changes after it was appended is not read again.
 *
 * @param first - What stands before all items.
 */
export function itemsLog(
  format: ItemFormat,
  options: ReadOptions,
  first: readonly HistoryEntry[] = [],
): ItemsLog {
  const entries: HistoryEntry[] = [...first];
  let made:
    | { readonly first: number; readonly items: number; readonly entries: readonly HistoryEntry[] }
    | undefined;
  const add: EntryMaker["add"] = (draft, came) => {
    const [{ index }] = came;
    // An answer that nothing was added to since it was shown is the same entry.
    if (made?.first === index && made.items === came.length) return made.entries;
    const became = toEntries(draft, came, format, options);
    made = { first: index, items: came.length, entries: became };
    const given = came.map(({ item }) => item);
    for (const entry of became) format.came?.set(entry, given);
    return became;
  };
  const reader = itemReader(format, { add, waiting: waitingCalls() });
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
