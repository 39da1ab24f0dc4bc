import { sameJson } from "@agent-history/core";

/** How a format compares its messages. */
export interface ContinuedFormat {
  /** Returns whether a message is part of a model's answer. */
  readonly isAnswer: (message: object) => boolean;
  /** Returns the content of an answer: its texts and the ids of its calls, without fields that an SDK adds. */
  readonly said: (answer: readonly object[]) => unknown;
}

/**
 * Returns the messages that are new to a server that stores the previous request and its answer; `undefined` if the prompt has changed since, e.g. because it was reduced. Compares what is sent. Linear.
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
 * Sends the new messages only; sends the whole request if the server no longer has the conversation.
 *
 * @throws What `send` throws, except a first error that the conversation is unknown.
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

/** SDK errors have a status; OpenAI's may be a 400 with this code. */
function isForgotten(error: unknown): boolean {
  const { status, code }: { readonly status?: unknown; readonly code?: unknown } = Object(error);
  return status === 404 || code === "previous_response_not_found";
}
