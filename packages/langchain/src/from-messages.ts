import type { HistoryEntry } from "@agent-history/core";
import type { ReadOptions } from "@agent-history/format-kit";

import { readFrom } from "./internal/message-objects.ts";
import type { LangChainMessageLike } from "./langchain-message.ts";

/** What the entries of messages carry beside what the messages say. */
export type FromMessagesOptions = ReadOptions;

/**
 * Converts LangChain's messages to entries, one for each, so that `toMessages` gives the same messages back. Takes the objects of its classes, and the plain ones
 * that it takes for them (`{ role: "user", content }`). Linear.
 *
 * A message with `tool_calls` is an `action`, a tool's message an `observation`. A message of no known type goes through whole, as an opaque part of an
 * `assistant_message`.
 *
 * Without `newId`, ids come from position and text (`langchain-3-1k2x9f`): pass the whole conversation at each call, longer each time, and the entries of the messages
 * before keep their ids, so that a reducer's previous plan goes on. The same message object gives the same entry object.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if `messages` is not a list.
 *
 * @example
 * ```ts
 * import { fromMessages } from "@agent-history/langchain";
 *
 * const entries = fromMessages([
 *   { role: "system", content: "You book flights." }, // or new SystemMessage("You book flights.")
 *   { role: "user", content: "To Rome, please." },
 * ]);
 * entries.map(({ type, content }) => `${type}: ${content}`);
 * // => ["system_message: You book flights.", "user_message: To Rome, please."]
 * ```
 */
export function fromMessages(
  messages: readonly LangChainMessageLike[],
  options: FromMessagesOptions = {},
): readonly HistoryEntry[] {
  return readFrom(messages, options);
}
