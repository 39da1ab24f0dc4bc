import type { HistoryEntry } from "@agent-history/core";

import { keptConversations } from "./kept-conversations.ts";
import type { KeptConversations, ReadConversation } from "./kept-conversations.ts";
import type { MessageFormat } from "./message-format.ts";
import { messageReader, openReader } from "./message-reader.ts";
import { requireMessages } from "./require-messages.ts";
import type { ReadOptions } from "./stamp-drafts.ts";

/**
 * Turns messages into entries, so that {@link writeMessages} gives the same messages back. Linear.
 *
 * Each message is written back as it is read, and what then differs is carried in `origin.extra` of its first entry:
 * nothing is lost, and nothing stands twice. A message of an unknown kind is carried whole, as an opaque part of an
 * `assistant_message`: there it begins no turn and has no authority.
 *
 * Without `newId`, ids come from position and text, as `origin.derivedId` says, and the same message object gives the same entry
 * objects.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if `messages` is not a list.
 */
export function readMessages(
  format: MessageFormat,
  messages: readonly unknown[],
  options: ReadOptions = {},
): readonly HistoryEntry[] {
  requireMessages(messages);
  if (options.newId !== undefined) {
    const read = messageReader(format, options);
    return messages.flatMap((message) => read(message));
  }
  const conversations = conversationsOf(format);
  const conversation = conversations.take(messages, options) ?? beginConversation(format, options);
  if (readOn(conversation, messages, options)) conversations.keep(conversation);
  return conversation.entries.slice();
}

function beginConversation(
  format: MessageFormat,
  { now = Date.now, turnId, agent }: ReadOptions,
): ReadConversation {
  const stamp = { ...(turnId !== undefined && { turnId }), ...(agent !== undefined && { agent }) };
  const reader = openReader(format, { ...stamp, now: () => conversation.now() });
  const lists = { messages: [], proofs: [], entries: [] };
  const conversation: ReadConversation = { turnId, agent, ...reader, now, ...lists };
  return conversation;
}

/** Reads what is new, and returns whether of each message it can be told at a later call that it says the same. */
function readOn(
  conversation: ReadConversation,
  given: readonly unknown[],
  { now = Date.now }: ReadOptions,
): boolean {
  const { read, proofOf, messages, proofs, entries } = conversation;
  conversation.now = now;
  for (let index = messages.length; index < given.length; index += 1) {
    const message = given[index];
    for (const entry of read(message)) entries.push(entry);
    if (typeof message !== "object" || message === null) continue;
    const proof = proofOf(message, index);
    if (proof === undefined) continue;
    messages.push(message);
    proofs.push(proof);
  }
  return messages.length === given.length;
}

const memories = new WeakMap<MessageFormat, KeptConversations>();

function conversationsOf(format: MessageFormat): KeptConversations {
  const { said = (message) => message } = format;
  const memory = memories.get(format) ?? keptConversations(said);
  memories.set(format, memory);
  return memory;
}
