import type { HistoryEntry, JsonObject, Viewer } from "@agent-history/core";
import { writeMessages } from "@agent-history/format-kit";

import { cameAs } from "./internal/came-as.ts";
import { joinHumanMessages } from "./internal/join-human-messages.ts";
import { langChainFormat } from "./internal/langchain-format.ts";
import { makeMessagesLike } from "./internal/make-messages.ts";
import { withoutRawAnswer } from "./internal/stale-answer.ts";
import type { LangChainMessage } from "./langchain-message.ts";

/** How messages are made. */
export interface ToMessagesOptions<Message extends object = LangChainMessage> {
  /** Whose prompt it is: one's own `final` is a model's message, another agent's a user's. Default: nobody's. */
  readonly viewer?: Viewer | undefined;
  /**
   * Makes a message of its fields: `coerceMessageLikeToMessage` of `@langchain/core/messages`. Default: as the messages that the other entries came from, and
   * where there is none of its type, a plain object, which LangChain's models, prompts and agents take too.
   */
  readonly toMessage?: ((fields: LangChainMessage) => Message) | undefined;
}

/**
 * Converts entries to LangChain's messages, one for each, in their order. An entry that `fromMessages` gave becomes the same message object again; one that was changed
 * since, a new message that says what it says now. A recall block or a summary directly before a user's message becomes the beginning of it. Linear.
 *
 * @example
 * ```ts
 * import { fromMessages, toMessages } from "@agent-history/langchain";
 *
 * const messages = [{ role: "user", content: "To Rome, please." }];
 * toMessages(fromMessages(messages))[0] === messages[0];
 * // => true
 * ```
 */
export function toMessages<Message extends object = LangChainMessage>(
  entries: readonly HistoryEntry[],
  { viewer = {}, toMessage }: ToMessagesOptions<Message> = {},
): Message[] {
  const like = makeMessagesLike(entries);
  const make = (fields: JsonObject): object => {
    const said = withoutRawAnswer(fields);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is written has the fields of a message
    return toMessage === undefined ? like(said) : toMessage(said as object as LangChainMessage);
  };
  const format = { ...langChainFormat, unpack: make, join: joinHumanMessages(make) };
  const messages = writeMessages(format, entries, { viewer, known: ([entry]) => cameAs(entry) });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what came in as a message goes out as one, whatever its provider put there
  return messages as Message[];
}
