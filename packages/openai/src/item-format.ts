import { isRendered, overReadable } from "@agent-history/core";
import type { HistoryEntry, JsonValue, Viewer } from "@agent-history/core";
import {
  answeredCalls,
  portableWeight,
  readConversation,
  requireMessages,
  stampDrafts,
} from "@agent-history/format-kit";
import type { ReadOptions, ReadStep, TargetFormat } from "@agent-history/format-kit";

import { readItems } from "./internal/read-items.ts";
import { isFromItems, portableItemContent, writeItems } from "./internal/write-items.ts";
import type { OpenAIRuleOptions } from "./openai-rules.ts";
import type { ResponseItemLike } from "./response-item.ts";
import { responseRules } from "./response-rules.ts";

/** Items of the Responses API, with the field names of a package or an SDK. */
export interface ItemFormat {
  /** `origin.format` of entries read from such items. */
  readonly name: string;
  /** Prefix of derived ids. */
  readonly idPrefix: string;
  /** Returns an item as JSON with the API's field names; unknown fields are kept. */
  readonly pack: (item: unknown) => JsonValue;
  /** Filled by the reader with the items of each entry. Set it if an unchanged entry should be written as the same item objects. */
  readonly came?: WeakMap<HistoryEntry, ReadStep> | undefined;
}

/**
 * Makes the reader of a format: the same item objects return the same entry objects. Linear.
 *
 * @throws The reader throws a `HistoryError` with code `INVALID_OPTION` if `items` is not an array.
 */
export function itemsReader(
  format: ItemFormat,
): (items: readonly ResponseItemLike[], options: ReadOptions) => readonly HistoryEntry[] {
  return (items, options) => {
    requireMessages(items);
    const wires = new Map<number, JsonValue>();
    const wireAt = (index: number): JsonValue | undefined => {
      if (index < items.length && !wires.has(index)) wires.set(index, format.pack(items[index]));
      return wires.get(index);
    };
    return readConversation({
      format: format.name,
      messages: items,
      options,
      came: format.came,
      read: (index, waiting) => {
        const { draft, wires: read } = readItems(wireAt, { index, waiting });
        const text = read.map((wire) => JSON.stringify(wire)).join("\n");
        const { name, idPrefix: prefix } = format;
        const entries = stampDrafts([draft], { ...options, format: name, prefix, index, text });
        return { messages: items.slice(index, index + read.length), entries };
      },
    });
  };
}

/** Returns the requirements and measures of the API for a format's items. */
export function itemsTarget({ name }: ItemFormat, options: OpenAIRuleOptions = {}): TargetFormat {
  return {
    rules: responseRules(options, name),
    weigh: portableWeight(name, portableItemContent),
  };
}

/** Makes the writer of a format: items pass through `unpack`, and an unchanged entry object becomes its original items. Linear. */
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
