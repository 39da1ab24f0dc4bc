import type { ChatMessage } from "../messages/chat-message.ts";

/**
 * Tells which message of a conversation each message of a request is, by role and text, the newest first: a text that occurs twice is
 * taken for the later one. What was shortened is known by its head and tail; what was written anew is none.
 *
 * @returns The indexes in the conversation of which the request shows the message.
 */
export function matchMessages(
  request: readonly ChatMessage[],
  conversation: readonly ChatMessage[],
): ReadonlySet<number> {
  const indexes = new Set<number>();
  let end = conversation.length;
  for (const message of request.toReversed()) {
    const same = conversation.findLastIndex((one, index) => index < end && isSame(message, one));
    const entryIndex =
      same >= 0
        ? same
        : conversation.findLastIndex((one, at) => at < end && isShortened(message, one));
    if (entryIndex < 0) continue;
    indexes.add(entryIndex);
    end = entryIndex;
  }
  return indexes;
}

/** Tells whether one message may be another, whole or shortened. */
export function mayBe(one: ChatMessage, message: ChatMessage): boolean {
  return isSame(one, message) || isShortened(one, message);
}

function isSame(one: ChatMessage, other: ChatMessage): boolean {
  return isOfOneKind(one, other) && (one.content ?? "") === (other.content ?? "");
}

function isOfOneKind(one: ChatMessage, other: ChatMessage): boolean {
  return one.role === other.role && idsOf(one).join(" ") === idsOf(other).join(" ");
}

function idsOf(message: ChatMessage): readonly string[] {
  if (message.role === "tool") return [message.tool_call_id];
  return message.role === "assistant" ? (message.tool_calls ?? []).map(({ id }) => id) : [];
}

/** Head and tail together are at least a third of what is left. A result that says nothing of it any more is known by its call. */
function isShortened(message: ChatMessage, whole: ChatMessage): boolean {
  if (!isOfOneKind(message, whole)) return false;
  if (message.role === "tool") return true;
  const [short, long] = [message.content ?? "", whole.content ?? ""];
  if (short.length >= long.length || short === "") return false;
  let head = 0;
  while (head < short.length && short[head] === long[head]) head += 1;
  let tail = 0;
  while (tail < short.length - head && short.at(-1 - tail) === long.at(-1 - tail)) tail += 1;
  return 3 * (head + tail) >= short.length;
}
