import type { Agent, EntrySources, HistoryEntry, JsonObject } from "@agent-history/core";
import {
  contradicts,
  entryCache,
  textHash,
  toJsonObject,
  waitingCalls,
  wireDifference,
} from "@agent-history/format-kit";
import type { EntryDraft } from "@agent-history/format-kit";

import type { ChatMessageLike } from "./chat-message.ts";
import { readMessage } from "./internal/read-message.ts";
import type { ReadContext } from "./internal/read-message.ts";
import { CHAT_FORMAT, writeUsual } from "./internal/write-message.ts";

const cache = entryCache();

/** What the entries of a chat bear beside what its messages say. */
export interface FromChatOptions extends EntrySources {
  /** The turn that all of them belong to. Default: none, and a user message begins a turn. */
  readonly turnId?: string;
  /** The agent whose chat it is. */
  readonly agent?: Agent;
}

/**
 * Turns OpenAI chat messages into entries, one for each, so that `toChatMessages` gives the same messages back, unknown fields
 * and unknown kinds included. Linear.
 *
 * A message with calls is an `action`, a tool's or function's message an `observation`, a developer's a `system_message`. A
 * message of no known role goes through whole, as an opaque part of an `assistant_message`. Calls that came without an id are given
 * one by their place.
 *
 * Without `newId`, ids come from place and text (`chat-3-1k2x9f`): hand in the whole conversation at each call, longer each
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
  const { newId, now = Date.now, turnId, agent } = options;
  const waiting = waitingCalls();
  const bears = { ...(turnId !== undefined && { turnId }), ...(agent !== undefined && { agent }) };
  return messages.map((message, index) => {
    const wire = toJsonObject(message);
    const id = newId?.() ?? `chat-${index}-${textHash(JSON.stringify(wire))}`;
    const entry = toEntry(wire, { index, waiting }, { id, createdAtMs: now(), ...bears });
    return newId === undefined ? (cache.recall(message, [entry])[0] ?? entry) : entry;
  });
}

interface Stamp {
  readonly id: string;
  readonly createdAtMs: number;
  readonly turnId?: string;
  readonly agent?: Agent;
}

/** Reads a message, writes it back, and lets the entry carry what then differs: nothing is lost, and nothing stands twice. */
function toEntry(message: JsonObject, context: ReadContext, stamp: Stamp): HistoryEntry {
  const draft = readMessage(message, context);
  if (draft === undefined) return stamped(wholeMessage(message), stamp);
  const usual = writeUsual(stamped(draft, stamp));
  const difference = wireDifference(usual, message);
  if (difference === undefined) return stamped(draft, stamp);
  return contradicts(difference, usual)
    ? stamped(wholeMessage(message), stamp)
    : stamped({ ...draft, extra: { ...draft.extra, ...difference } }, stamp);
}

function stamped({ says, extra }: EntryDraft, stamp: Stamp): HistoryEntry {
  const origin = {
    format: CHAT_FORMAT,
    message: stamp.id,
    index: 0,
    ...(extra !== undefined && { extra }),
  };
  return { ...says, ...stamp, origin };
}

function wholeMessage(message: JsonObject): EntryDraft {
  const content = [{ type: "opaque", data: message, extra: { as: "message" } }] as const;
  return { says: { type: "assistant_message", content } };
}
