import type { HistoryEntry, JsonObject, JsonValue, Viewer } from "@agent-history/core";
import { textOf, toJsonObject, writeMessages } from "@agent-history/format-kit";

import { langChainFormat } from "./internal/langchain-format.ts";
import { messageFields } from "./internal/message-fields.ts";
import {
  unchangedMessage,
  makeMessagesLike,
  withoutRawAnswer,
} from "./internal/message-objects.ts";
import type { MakeMessage } from "./internal/message-objects.ts";
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
  const messages = writeMessages(format, entries, {
    viewer,
    known: ([entry]) => unchangedMessage(entry),
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what came in as a message goes out as one, whatever its provider put there
  return messages as Message[];
}

/** Puts what a user's message says before the blocks of the next one, as a message of its own; neither is changed. */
function joinHumanMessages(
  make: MakeMessage,
): (before: object, message: object) => object | undefined {
  return (before, message) => {
    const first = toJsonObject(messageFields(before));
    const next = toJsonObject(messageFields(message));
    if (!isHuman(first) || !isHuman(next)) return undefined;
    const content = [...blocksOf(first["content"]), ...blocksOf(next["content"])];
    const { role: _, ...said } = next;
    return make({ ...said, type: "human", content });
  };
}

function isHuman({ type, role, content }: JsonObject): boolean {
  const name = type ?? role;
  const isSaid = typeof content === "string" || Array.isArray(content);
  return (name === "human" || name === "user") && isSaid;
}

function blocksOf(content: JsonValue | undefined): readonly JsonValue[] {
  if (Array.isArray(content)) return content;
  const text = textOf(content);
  return text === undefined || text === "" ? [] : [{ type: "text", text }];
}
