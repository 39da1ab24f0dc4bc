import type { HistoryEntry, Viewer } from "@agent-history/core";
import { faultsFor, forReader, plainText } from "@agent-history/format-kit";
import type { TargetFormat, WireFault } from "@agent-history/format-kit";

import { fromResponseItems, responseFormat } from "./from-response-items.ts";
import { itemsTarget, itemsWriter } from "./item-format.ts";
import type { OpenAIRuleOptions } from "./openai-rules.ts";
import type { ResponseItem, ResponseItemLike } from "./response-item.ts";

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
