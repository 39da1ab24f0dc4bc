import { sameJson } from "@agent-history/core";

/** What a format says of its messages. */
export interface ContinuedFormat {
  /** Returns whether a message is a part of an answer of the model. */
  readonly isAnswer: (message: object) => boolean;
  /** Returns what an answer says: its texts and the ids of its calls, without what an SDK adds. */
  readonly said: (answer: readonly object[]) => unknown;
}

/**
 * Returns the messages that a server does not have that keeps the request before and its answer; `undefined` if the prompt has changed, which it has wherever room was made. Compares what is sent. Linear.
 */
export function newMessages(
  sent: readonly object[],
  before: { readonly sent: readonly object[]; readonly answer: readonly object[] },
  { isAnswer, said }: ContinuedFormat,
): readonly object[] | undefined {
  const count = before.sent.length;
  const isPrefix = before.sent.every((one, at) => one === sent[at] || sameJson(one, sent[at]));
  const behind = sent.slice(count);
  const end = behind.findIndex((message) => !isAnswer(message));
  if (!isPrefix || end <= 0 || behind.slice(end).some(isAnswer)) return undefined;
  return sameJson(said(behind.slice(0, end)), said(before.answer)) ? behind.slice(end) : undefined;
}

/**
 * Sends what is new, and the whole where the server holds the conversation no longer.
 *
 * @throws What `send` throws, but for the first answer that the server does not know the conversation.
 */
export async function sendOrReplay<Request extends object, Answer>(
  continued: Request,
  whole: Request,
  send: (request: Request) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await send(continued);
  } catch (error) {
    if (continued === whole || !isForgotten(error)) throw error;
    return send(whole);
  }
}

/** The SDKs' errors have a status; OpenAI's may be a 400 with this code. */
function isForgotten(error: unknown): boolean {
  const { status, code }: { readonly status?: unknown; readonly code?: unknown } = Object(error);
  return status === 404 || code === "previous_response_not_found";
}
