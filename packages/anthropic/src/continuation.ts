import { sameJson } from "@agent-history/core";
import { newMessages, sendOrReplay } from "@agent-history/format-kit";
import type { ContinuedFormat } from "@agent-history/format-kit";

import type { AnthropicRequest } from "./to-anthropic-request.ts";

/** A sent request and its response. */
export interface SentMessage<Tool extends object = object> {
  /** The whole fitted request, even if only its new messages were sent. */
  readonly request: AnthropicRequest<Tool>;
  /** The message, as the SDK returns it. */
  readonly message: { readonly id: string; readonly content: readonly object[] };
}

/** Fields of a request: `client.beta.messages.create({ model, max_tokens, betas: ["message-threads-2026-08-12"], ...continuation })`. */
export interface MessageContinuation<Tool extends object = object> extends AnthropicRequest<Tool> {
  /** Creates a thread, or continues that of an earlier message; `system` and `tools` are then omitted, because the thread has them. */
  readonly thread:
    | { readonly type: "create" }
    | { readonly type: "continue"; readonly previous_message_id: string };
}

/**
 * Returns the messages that are new since the last message of a message thread, which Anthropic keeps for five minutes. Returns the whole request, which creates a thread, for the first one,
 * if `system` or tools changed, and if the prompt has changed, e.g. because it was reduced or the conversation was edited. Saves bytes and time, not tokens. Linear.
 *
 * @param request - The fitted request, including the content of the last message.
 *
 * @example
 * ```ts
 * import { continuation } from "@agent-history/anthropic";
 *
 * const question = { role: "user" as const, content: "To Rome, please." };
 * const content = [{ type: "text" as const, text: "Which day?" }];
 * const last = { request: { messages: [question] }, message: { id: "msg_1", content } };
 * const messages = [question, { role: "assistant" as const, content }, { role: "user" as const, content: "Friday." }];
 * continuation({ messages }, last);
 * // => {
 * //   messages: [{ role: "user", content: "Friday." }],
 * //   thread: { type: "continue", previous_message_id: "msg_1" },
 * // }
 * ```
 */
export function continuation<Tool extends object>(
  request: AnthropicRequest<Tool>,
  last?: SentMessage<Tool>,
): MessageContinuation<Tool> {
  const whole = { ...request, thread: { type: "create" } } as const;
  if (last === undefined) return whole;
  const { messages: sent, ...head } = last.request;
  const { messages, ...others } = request;
  const answer = [{ role: "assistant", content: last.message.content }];
  const added = newMessages(messages.map(unmarked), { sent: sent.map(unmarked), answer }, format);
  if (added === undefined || added.length === 0 || !sameJson(unmarked(head), unmarked(others)))
    return whole;
  return {
    messages: messages.slice(-added.length),
    thread: { type: "continue", previous_message_id: last.message.id },
  };
}

/**
 * Sends the {@link continuation} of a conversation; sends the whole request if Anthropic no longer has the thread.
 *
 * @param send - Sends a request: `(request) => client.beta.messages.create({ model, max_tokens, betas, ...request })`.
 * @throws What `send` throws, except a first error that the thread is unknown.
 */
export async function sendContinuation<Tool extends object, Message>(
  request: AnthropicRequest<Tool>,
  last: SentMessage<Tool> | undefined,
  send: (request: MessageContinuation<Tool>) => Promise<Message>,
): Promise<Message> {
  const continued = continuation(request, last);
  const isWhole = continued.thread.type === "create";
  return sendOrReplay(continued, isWhole ? continued : continuation(request), send);
}

const format: ContinuedFormat = {
  isAnswer: (message) => "role" in message && message.role === "assistant",
  said: (answer) =>
    answer.flatMap((message) => ("content" in message ? blocksOf(message.content) : [])),
};

/** Normalizes for comparison: cache marks move between requests, and a text may be sent as a block. */
function unmarked(value: object): object {
  return JSON.parse(
    JSON.stringify(value, (key, field: unknown) => {
      if (key === "cache_control") return undefined;
      const isText = (key === "content" || key === "system") && typeof field === "string";
      return isText ? [{ type: "text", text: field }] : field;
    }),
  );
}

function blocksOf(content: unknown): readonly unknown[] {
  const blocks: readonly { readonly [field: string]: unknown }[] = Array.isArray(content)
    ? content
    : [{ type: "text", text: content }];
  return blocks.flatMap(({ type, id, text }) =>
    text === undefined && id === undefined ? [] : [[type, id ?? text]],
  );
}
