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
import { chatRules, foreignChatRules, isForeign } from "./chat-rules.ts";
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

/** What the entries of a chat carry beside what its messages say. */
export type FromChatOptions = ReadOptions;

/**
 * Converts OpenAI chat messages to entries, one for each, so that `toChatMessages` restores the same messages, unknown fields
 * and unknown kinds included. Linear.
 *
 * A message with calls is an `action`, a tool's or function's message an `observation`, a developer's a `system_message`. A
 * message of no known role goes through whole, as an opaque part of an `assistant_message`. Calls that came without an id are given
 * one by their place.
 *
 * Without `newId`, ids come from position and text (`chat-3-1k2x9f`): pass the whole conversation at each call, longer each
 * time, and the entries of the messages before keep their ids, so that a reducer's previous plan goes on; a message that was changed
 * is another entry. The same message object gives the same entry object, so that what was counted stays counted.
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
  options: FromChatOptions = {},
): readonly HistoryEntry[] {
  return readMessages(chatFormat, messages, options);
}

/**
 * Converts entries to OpenAI chat messages, one for each, in their order. Linear. A result with images or files is followed, after the other
 * results of its action, by a user's message that shows them, as OpenAI takes none in results.
 *
 * What came from chat messages is given back as it came, with what it says now: a result that was shrunk since is written shrunk.
 * Other entries read as core's `messageRole` says; their images and files are sent in user messages only, their reasoning and
 * opaque parts not at all. A valid history (`checkHistory`) gives messages that OpenAI takes.
 *
 * @param viewer - Whose prompt it is: one's own `final` is an assistant's message, another agent's a user's.
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
  const isMixed = overReadable(entries, (readable) => readable.some(isForeign));
  const sent = isMixed ? repairFor({ rules: foreignChatRules }, entries, viewer).entries : entries;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what came in as a message goes out as one, whatever its provider put there
  return writeMessages(chatFormat, sent, { viewer }) as ChatMessage[];
}

/** Returns what chat completions take, and what an entry costs there: `fitForTarget` of `@agent-history/format-kit` fits for it. */
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
