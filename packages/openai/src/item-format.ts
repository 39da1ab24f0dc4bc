import { isRendered, overReadable } from "@agent-history/core";
import type { HistoryEntry, JsonValue, Viewer } from "@agent-history/core";
import {
  answeredCalls,
  messageMemory,
  notingCalls,
  requireMessages,
  waitingCalls,
} from "@agent-history/format-kit";
import type { MessageMemory, ReadOptions, ReadResult } from "@agent-history/format-kit";

import { itemReader, toEntries } from "./internal/read-items.ts";
import type { EntryMaker } from "./internal/read-items.ts";
import { isFromItems, writeItems } from "./internal/write-items.ts";
import type { ResponseItemLike } from "./response-item.ts";

/** Items of the Responses API, under the names that a package or an SDK has for them. */
export interface ItemFormat {
  /** Stands in `origin.format` of what came as such items. */
  readonly name: string;
  /** What derived ids begin with. */
  readonly idPrefix: string;
  /** Returns an item under the names of the API, as JSON; what the API does not know stays in it. */
  readonly pack: (item: unknown) => JsonValue;
  /** The items that each entry was read from, where an entry that is still the same object becomes the same objects again. */
  readonly came?: WeakMap<HistoryEntry, readonly unknown[]> | undefined;
}

/**
 * Makes the reader of a format: the same item object gives the same entry object, however often its conversation is read. Linear.
 *
 * @throws The reader throws a `HistoryError` with code `INVALID_OPTION` if `items` is not a list.
 */
export function itemsReader(
  format: ItemFormat,
): (items: readonly ResponseItemLike[], options: ReadOptions) => readonly HistoryEntry[] {
  const memory = { memory: messageMemory(), spans: new WeakMap(), came: format.came };
  return (items, options) => {
    requireMessages(items);
    const entries: HistoryEntry[] = [];
    const { recall, ...maker } = rememberingMaker(format, memory, items, options);
    const reader = itemReader(format, maker);
    for (let index = 0; index < items.length; index += 1) {
      const known = reader.isOpen() ? undefined : recall(index);
      for (const entry of known?.entries ?? reader.read(items[index], index)) entries.push(entry);
      index += (known?.items ?? 1) - 1;
    }
    return [...entries, ...reader.close()];
  };
}

/** Makes the writer of a format: entries become items, each by `unpack`, and an entry that is still the object that it was read as the same items. Linear. */
export function itemsWriter(
  { name: format, came }: ItemFormat,
  unpack: (wire: JsonValue, entry: HistoryEntry) => unknown,
): (entries: readonly HistoryEntry[], viewer: Viewer) => unknown[] {
  return (entries, viewer) =>
    overReadable(entries, (readable) => {
      const rendered = readable.filter(isRendered);
      const callOf = answeredCalls(rendered, (entry) => isFromItems(entry, format));
      return rendered.flatMap(
        (entry): readonly unknown[] =>
          came?.get(entry) ??
          writeItems(entry, { format, viewer, callOf }).map((wire) => unpack(wire, entry)),
      );
    });
}

/** What is known of items that were read before. */
interface Memory extends Pick<ItemFormat, "came"> {
  readonly memory: MessageMemory;
  /** How many neighbors of an item were read with it the last time: those of its entry, and the item behind them that ended it. */
  readonly spans: WeakMap<object, { readonly items: number; readonly isEnded: boolean }>;
}

/** What makes the entries of one conversation, and knows those that were made before. */
interface RememberingMaker extends EntryMaker {
  /** Returns what the items from an index on became, and how many of them did, if nothing of it has changed. */
  readonly recall: (
    index: number,
  ) => { readonly entries: readonly HistoryEntry[]; readonly items: number } | undefined;
}

function rememberingMaker(
  format: ItemFormat,
  { memory, spans, came: cameAs }: Memory,
  items: readonly ResponseItemLike[],
  options: ReadOptions,
): RememberingMaker {
  const { newId, now = Date.now, turnId, agent } = options;
  const waiting = waitingCalls();
  const noting = notingCalls(waiting);
  const known = memory.open({ waiting, now, turnId, agent, isByContent: false });
  let isSure = true;
  return {
    waiting: noting.waiting,
    isUnsure: () => void (isSure = false),
    recall: (index) => {
      const item: unknown = items[index];
      if (newId !== undefined || typeof item !== "object" || item === null) return undefined;
      const span = spans.get(item);
      if (span === undefined) return undefined;
      const end = index + span.items;
      if (end < items.length !== span.isEnded) return undefined;
      const entries = known.recall(item, index, undefined, items.slice(index, end + 1));
      return entries && { entries, items: span.items };
    },
    add: (draft, came) => {
      const [{ item, index }] = came;
      const read = (): ReadResult => {
        const entries = toEntries(draft, came, format, options);
        const given = came.map(({ item: one }) => one);
        for (const entry of entries) cameAs?.set(entry, given);
        return { entries, noted: noting.takeNotes() };
      };
      if (newId !== undefined || typeof item !== "object" || item === null) return read().entries;
      const end = index + came.length;
      if (isSure) spans.set(item, { items: came.length, isEnded: end < items.length });
      else spans.delete(item);
      isSure = true;
      return known.read(item, { index, firstId: undefined }, read, items.slice(index, end + 1));
    },
  };
}
