import type { HistoryEntry } from "@agent-history/core";
import { faultsFor, forReader, portableWeight } from "@agent-history/format-kit";
import type { TargetFormat, WireFault } from "@agent-history/format-kit";

import type { ChatMessageLike } from "./chat-message.ts";
import { chatRules } from "./chat-rules.ts";
import { fromChatMessages } from "./from-chat-messages.ts";
import { chatFormat } from "./internal/chat-format.ts";
import { foreignChatContent } from "./internal/chat-parts.ts";
import type { OpenAIRuleOptions } from "./openai-rules.ts";
import { toChatMessages } from "./to-chat-messages.ts";

/** Returns what chat completions take, and what an entry costs there: `fitForTarget` of `@agent-history/format-kit` fits for it. */
export function chatTarget(options: OpenAIRuleOptions = {}): TargetFormat {
  const target: TargetFormat = {
    rules: chatRules(options),
    weigh: portableWeight(chatFormat.name, foreignChatContent),
    request: (entries, { viewer, tools = [] }) => ({
      messages: toChatMessages(entries, viewer),
      ...(tools.length > 0 && { tools: tools.map((one) => ({ type: "function", function: one })) }),
    }),
  };
  return forReader(target, options);
}

/**
 * Finds what chat completions would refuse in messages, by rule and place. Linear.
 *
 * @example
 * ```ts
 * import { checkChatMessages } from "@agent-history/openai";
 *
 * const faults = checkChatMessages([
 *   { role: "user", content: "To Rome, please." },
 *   { role: "assistant", content: "One moment.", tool_calls: [] },
 *   { role: "tool", tool_call_id: "c1", content: "Two flights." },
 * ]);
 * faults.map(({ rule, index }) => `${rule} in messages[${index}]`);
 * // => ["unknown-field in messages[1]", "pairing in messages[2]"]
 * ```
 */
export function checkChatMessages(
  messages: readonly ChatMessageLike[],
  options: OpenAIRuleOptions = {},
): readonly WireFault[] {
  const entries: readonly HistoryEntry[] = fromChatMessages(messages);
  return faultsFor(chatTarget(options), entries);
}
