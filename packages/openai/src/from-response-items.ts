import type { HistoryEntry } from "@agent-history/core";
import {
  messageMemory,
  notingCalls,
  requireMessages,
  waitingCalls,
} from "@agent-history/format-kit";
import type { ReadOptions, ReadResult } from "@agent-history/format-kit";

import { readInstructions } from "./internal/read-instructions.ts";
import { itemReader, toEntries } from "./internal/read-items.ts";
import type { EntryMaker } from "./internal/read-items.ts";
import type { ResponseItemLike } from "./response-item.ts";

const memory = messageMemory();

/** How many neighbors of an item were read with it the last time: those of its entry, and the item behind them that ended it. */
const spans = new WeakMap<object, { readonly items: number; readonly isEnded: boolean }>();

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
  requireMessages(items);
  const { instructions, ...stamp } = options;
  const entries: HistoryEntry[] = [...readInstructions(instructions, stamp)];
  const { recall, ...maker } = rememberingMaker(items, stamp);
  const reader = itemReader(maker);
  for (let index = 0; index < items.length; index += 1) {
    const known = reader.isOpen() ? undefined : recall(index);
    for (const entry of known?.entries ?? reader.read(items[index], index)) entries.push(entry);
    index += (known?.items ?? 1) - 1;
  }
  return [...entries, ...reader.close()];
}

/** What makes the entries of one conversation, and knows those that were made before. */
interface RememberingMaker extends EntryMaker {
  /** Returns what the items from an index on became, and how many of them did, if nothing of it has changed. */
  readonly recall: (
    index: number,
  ) => { readonly entries: readonly HistoryEntry[]; readonly items: number } | undefined;
}

function rememberingMaker(
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
      const read = (): ReadResult => ({
        entries: toEntries(draft, came, options),
        noted: noting.takeNotes(),
      });
      if (newId !== undefined || typeof item !== "object" || item === null) return read().entries;
      const end = index + came.length;
      if (isSure) spans.set(item, { items: came.length, isEnded: end < items.length });
      else spans.delete(item);
      isSure = true;
      return known.read(item, { index, firstId: undefined }, read, items.slice(index, end + 1));
    },
  };
}
