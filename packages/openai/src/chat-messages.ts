import { overReadable } from "@agent-history/core";
import type { HistoryEntry, Viewer } from "@agent-history/core";
import {
  faultsFor,
  forReader,
  portableWeight,
  readMessages,
  repairFor,
  writeMessages,
} from "@agent-history/format-kit";
import type {
  MessageFormat,
  ReadOptions,
  TargetFormat,
  WireFault,
} from "@agent-history/format-kit";

import type { ChatMessage, ChatMessageLike } from "./chat-message.ts";
import { chatRules, foreignChatRules } from "./chat-rules.ts";
import { CHAT_FORMAT, foreignChatContent } from "./internal/chat-parts.ts";
import { readChatMessage } from "./internal/read-chat.ts";
import { writeChatMessage } from "./internal/write-chat.ts";
import type { OpenAIRuleOptions } from "./openai-rules.ts";

/** Messages of chat completions. */
const chatFormat: MessageFormat = {
  name: CHAT_FORMAT,
  idPrefix: "chat",
  types: [
    "system_message",
    "user_message",
    "assistant_message",
    "action",
    "observation",
    "global_observation",
  ],
  shape: "one-to-one",
  read: (message, context) => {
    const draft = readChatMessage(message, context);
    return draft === undefined ? [] : [draft];
  },
  write: ([entry], context) => writeChatMessage(entry, context),
};

/**
 * Converts OpenAI chat messages to entries, one per message. `toChatMessages` restores the same messages, including unknown fields
 * and unknown kinds. Linear.
 *
 * A message with calls becomes an `action`, a tool or function message an `observation`, a developer message a `system_message`. A
 * message with an unknown role becomes an opaque part of an `assistant_message`. Calls without an id get
 * one derived from their position.
 *
 * Without `newId`, ids are derived from position and text (`chat-3-1k2x9f`): pass the full conversation at each call, with new messages
 * at the end; earlier messages keep their ids, so that a reducer can continue its previous plan. A changed message
 * becomes a different entry. The same message object returns the same entry object, so that cached token counts stay valid.
 *
 * @example
 * ```ts
 * import { fromChatMessages } from "@agent-history/openai";
 *
 * const entries = fromChatMessages([
 *   { role: "system", content: "You book flights." },
 *   { role: "user", content: "To Rome, please." },
 * ]);
 * entries.map(({ type, content }) => `${type}: ${content}`);
 * // => ["system_message: You book flights.", "user_message: To Rome, please."]
 * ```
 */
export function fromChatMessages(
  messages: readonly ChatMessageLike[],
  options: ReadOptions = {},
): readonly HistoryEntry[] {
  return readMessages(chatFormat, messages, options);
}

/**
 * Converts entries to OpenAI chat messages, one per entry, in order. Linear. A result with images or files is followed, after the other
 * results of its action, by a user message that shows them, because OpenAI does not accept them in results.
 *
 * Entries that were read from chat messages become those messages again, with their present content: a result that was shortened since is written shortened.
 * Other entries get the role of core's `messageRole`; their images and files are sent only in user messages, their reasoning and
 * opaque parts not at all. A valid history (`checkHistory`) results in messages that OpenAI accepts.
 *
 * @param viewer - The reader of the prompt: its own `final` becomes an assistant message, another agent's a user message.
 *
 * @example
 * ```ts
 * import { final, userMessage } from "@agent-history/core";
 * import { toChatMessages } from "@agent-history/openai";
 *
 * const report = final({ content: "Two seats left.", agent: { id: "w1", role: "worker" } });
 * toChatMessages([userMessage({ content: "Any seats?" }), report], { agentId: "m1" });
 * // => [
 * //   { role: "user", content: "Any seats?" },
 * //   { role: "user", content: "Two seats left." },
 * // ]
 * ```
 */
export function toChatMessages(
  entries: readonly HistoryEntry[],
  viewer: Viewer = {},
): ChatMessage[] {
  const isMixed = overReadable(entries, (readable) =>
    readable.some(({ origin }) => origin?.format !== CHAT_FORMAT),
  );
  const sent = isMixed ? repairFor({ rules: foreignChatRules }, entries, viewer).entries : entries;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what came in as a message goes out as one, whatever its provider put there
  return writeMessages(chatFormat, sent, { viewer }) as ChatMessage[];
}

/** Returns the requirements and measures of chat completions, for `fitForTarget` of `@agent-history/format-kit`. */
export function chatTarget(options: OpenAIRuleOptions = {}): TargetFormat {
  const target: TargetFormat = {
    rules: chatRules(options),
    weigh: portableWeight(CHAT_FORMAT, foreignChatContent),
    request: (entries, { viewer, tools = [] }) => ({
      messages: toChatMessages(entries, viewer),
      ...(tools.length > 0 && { tools: tools.map((one) => ({ type: "function", function: one })) }),
    }),
  };
  return forReader(target, options);
}

/**
 * Finds messages that chat completions would refuse, by rule and position. Linear.
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
