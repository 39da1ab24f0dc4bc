import type { HistoryEntry, Viewer } from "@agent-history/core";
import { faultsFor, forReader, plainText, toJson } from "@agent-history/format-kit";
import type { ReadOptions, TargetFormat, WireFault } from "@agent-history/format-kit";

import { readInstructions } from "./internal/read-instructions.ts";
import { itemsReader, itemsTarget, itemsWriter } from "./item-format.ts";
import type { ItemFormat } from "./item-format.ts";
import type { OpenAIRuleOptions } from "./openai-rules.ts";
import type { ResponseItem, ResponseItemLike } from "./response-item.ts";

/** The items of the Responses API, as they are. */
const responseFormat: ItemFormat = {
  name: "openai-responses",
  idPrefix: "item",
  pack: toJson,
};

const readItems = itemsReader(responseFormat);

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
  const { instructions, ...stamp } = options;
  return [
    ...readInstructions(instructions, responseFormat.name, stamp),
    ...readItems(items, stamp),
  ];
}

/** Returns what the Responses API takes, and what an entry costs there: `fitForTarget` of `@agent-history/format-kit` fits for it. */
export function responseTarget(options: OpenAIRuleOptions = {}): TargetFormat {
  const target: TargetFormat = {
    ...itemsTarget(responseFormat, options),
    request: (entries, { viewer, tools = [] }) => ({
      input: toResponseItems(entries, viewer),
      ...instructionsOf(entries),
      ...(tools.length > 0 && { tools: tools.map((one) => ({ type: "function", ...one })) }),
    }),
  };
  return forReader(target, options);
}

function instructionsOf(entries: readonly HistoryEntry[]): object {
  const found = entries.find(({ origin }) => origin?.extra?.["as"] === "instructions");
  return found === undefined ? {} : { instructions: plainText(found.content) };
}

/** Finds what the Responses API would refuse in items, by rule and place: as `checkChatMessages` does in messages. Linear. */
export function checkResponseItems(
  items: readonly ResponseItemLike[],
  options: OpenAIRuleOptions = {},
): readonly WireFault[] {
  return faultsFor(responseTarget(options), fromResponseItems(items));
}

const writeItems = itemsWriter(responseFormat, (wire) => wire);

/**
 * Converts entries to items of OpenAI's Responses API, in their order. Linear.
 *
 * What came from such items is given back as it came, with what it says now. Other entries read as core's `messageRole`
 * says; their images and files are sent in user messages and results only, their reasoning and opaque parts not at all. A
 * result that core's `repairHistory` added answers its call in the way of the call's kind; an approval that nobody gave is refused.
 * A valid history (`checkHistory`) gives items that OpenAI takes.
 *
 * @param viewer - Whose prompt it is: one's own `final` is an assistant's message, another agent's a user's.
 *
 * @example
 * ```ts
 * import { final, userMessage } from "@agent-history/core";
 * import { toResponseItems } from "@agent-history/openai";
 *
 * const report = final({ content: "Two seats left.", agent: { id: "w1", role: "worker" } });
 * toResponseItems([userMessage({ content: "Any seats?" }), report], { agentId: "w1" });
 * // => [
 * //   { role: "user", content: "Any seats?" },
 * //   { role: "assistant", content: "Two seats left." },
 * // ]
 * ```
 */
export function toResponseItems(
  entries: readonly HistoryEntry[],
  viewer: Viewer = {},
): ResponseItem[] {
  const items: readonly unknown[] = writeItems(entries, viewer);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what came in as an item goes out as one, whatever its provider put there
  return items as ResponseItem[];
}
