import type { HistoryEntry, Viewer } from "@agent-history/core";
import {
  faultsFor,
  forReader,
  plainText,
  readInstructions,
  toJson,
} from "@agent-history/format-kit";
import type { ReadOptions, TargetFormat, WireFault } from "@agent-history/format-kit";

import { responseInputParts } from "./internal/response-parts.ts";
import { itemsReader, itemsTarget, itemsWriter } from "./item-format.ts";
import type { ItemFormat } from "./item-format.ts";
import type { OpenAIRuleOptions } from "./openai-rules.ts";
import type { ResponseItem, ResponseItemLike } from "./response-item.ts";

/** Items with the API's own field names. */
const responseFormat: ItemFormat = {
  name: "openai-responses",
  idPrefix: "item",
  pack: toJson,
};

const readItems = itemsReader(responseFormat);

const ofInstructions = {
  format: responseFormat.name,
  field: "instructions",
  as: "instructions",
  codec: responseInputParts,
};

/** Options of {@link fromResponseItems}. */
export interface FromResponseOptions extends ReadOptions {
  /**
   * The `instructions` of the request. They become the first entry, a `system_message`, so that they are counted; `toResponseItems` omits it, because
   * the request sends them separately. Default: none.
   */
  readonly instructions?: string | null | undefined;
}

/**
 * Converts items of OpenAI's Responses API to entries. `toResponseItems` restores the same items, including unknown fields
 * and unknown kinds. Linear.
 *
 * Neighboring items of an answer (reasoning, a message, calls, tools that the provider ran) become one `action`, or one `assistant_message` if there
 * are no calls; a second message begins a new entry. An item that answers a call becomes an `observation` (including a program's output
 * after its own calls were answered), a compaction a `summary`, a change of tools or settings a `system_message`. An item of an unknown kind becomes
 * an opaque part of the answer.
 *
 * With `instructions`, one more entry comes first.
 *
 * Without `newId`, ids are derived from position and text (`item-3-1k2x9f`), as in `fromChatMessages`: pass the full
 * conversation at each call, with new items at the end. The same item object returns the same entry object; unchanged items are
 * not read again.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if `instructions` is not a string, or `items` is not an array: pass text as `[{ role: "user", content: text }]`.
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
  return [...readInstructions(instructions, ofInstructions, stamp), ...readItems(items, stamp)];
}

/** Returns the requirements and measures of the Responses API, for `fitForTarget` of `@agent-history/format-kit`. */
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

/** Finds items that the Responses API would refuse, by rule and position. Linear. */
export function checkResponseItems(
  items: readonly ResponseItemLike[],
  options: OpenAIRuleOptions = {},
): readonly WireFault[] {
  return faultsFor(responseTarget(options), fromResponseItems(items));
}

const writeItems = itemsWriter(responseFormat, (wire) => wire);

/**
 * Converts entries to items of OpenAI's Responses API, in order. Linear.
 *
 * Entries that were read from such items become those items again, with their present content. Other entries get the role of core's `messageRole`;
 * their images and files are sent only in user messages and results, their reasoning and opaque parts not at all. A
 * result that core's `repairHistory` added becomes the result item of its call's kind; an approval request without an answer is denied.
 * A valid history (`checkHistory`) results in items that OpenAI accepts.
 *
 * @param viewer - The reader of the prompt: its own `final` becomes an assistant message, another agent's a user message.
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
