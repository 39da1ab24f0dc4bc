import { isRendered, overReadable } from "@agent-history/core";
import type { HistoryEntry, JsonValue, Viewer } from "@agent-history/core";
import {
  answeredCalls,
  portableWeight,
  positionIds,
  readConversation,
  requireMessages,
  stampDrafts,
} from "@agent-history/format-kit";
import type {
  ConversationCache,
  ReadOptions,
  ReadStep,
  TargetFormat,
} from "@agent-history/format-kit";

import { readItems } from "./internal/read-items.ts";
import { isFromItems, portableItemContent, writeItems } from "./internal/write-items.ts";
import type { OpenAIRuleOptions } from "./openai-rules.ts";
import type { ResponseItemLike } from "./response-item.ts";
import { responseRules } from "./response-rules.ts";

/** Items of the Responses API, under the names that a package or an SDK has for them. */
export interface ItemFormat {
  /** Stands in `origin.format` of what came as such items. */
  readonly name: string;
  /** What derived ids begin with. */
  readonly idPrefix: string;
  /** Returns an item under the names of the API, as JSON; what the API does not know stays in it. */
  readonly pack: (item: unknown) => JsonValue;
  /** Filled by the reader: the items that each entry was read from, if an entry that is still the same object is to become the same objects. */
  readonly came?: WeakMap<HistoryEntry, ReadStep> | undefined;
}

/**
 * Makes the reader of a format: the same item objects give the same entry objects. Linear.
 *
 * @throws The reader throws a `HistoryError` with code `INVALID_OPTION` if `items` is not a list.
 */
export function itemsReader(
  format: ItemFormat,
): (items: readonly ResponseItemLike[], options: ReadOptions) => readonly HistoryEntry[] {
  const cache: ConversationCache = [];
  return (items, options) => {
    requireMessages(items);
    const wires = new Map<number, JsonValue>();
    const wireAt = (index: number): JsonValue | undefined => {
      if (index < items.length && !wires.has(index)) wires.set(index, format.pack(items[index]));
      return wires.get(index);
    };
    return readConversation(cache, {
      messages: items,
      options,
      came: format.came,
      read: (index, waiting) => {
        const { draft, wires: read } = readItems(wireAt, { index, waiting });
        const text = read.map((wire) => JSON.stringify(wire)).join("\n");
        const { newId, ...stamp } = options;
        const entries = stampDrafts([draft], {
          ...stamp,
          format: format.name,
          nextId: newId ?? positionIds({ prefix: format.idPrefix, index, text }),
          isDerived: newId === undefined,
        });
        return { messages: items.slice(index, index + read.length), entries };
      },
    });
  };
}

/** Returns what the API takes of a format's items, and what an entry costs there. */
export function itemsTarget({ name }: ItemFormat, options: OpenAIRuleOptions = {}): TargetFormat {
  return {
    rules: responseRules(options, name),
    weigh: portableWeight(name, portableItemContent),
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
          came?.get(entry)?.messages ??
          writeItems(entry, { format, viewer, callOf }).map((wire) => unpack(wire, entry)),
      );
    });
}
