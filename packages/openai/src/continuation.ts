import { newMessages, sendOrReplay } from "@agent-history/format-kit";
import type { ContinuedFormat } from "@agent-history/format-kit";

import type { ResponseItem } from "./response-item.ts";

/** A request of the Responses API as it was sent, and what came back. */
export interface SentResponse {
  /** The fitted items, all of them, also where only the new ones were sent. */
  readonly items: readonly ResponseItem[];
  /** The response, as the SDK gives it. */
  readonly response: { readonly id: string; readonly output: readonly object[] };
}

/** What to send of a request: `client.responses.create({ model, instructions, tools, store: true, ...continuation })`. */
export interface ResponseContinuation {
  /** The new items, or all. */
  readonly input: ResponseItem[];
  /** The response that the new items follow. Missing where all are sent. */
  readonly previous_response_id?: string;
}

/**
 * Returns what is new since a stored response, and its id: OpenAI has the rest. Returns all items for the first request, and where the prompt has changed: where room was made, or the conversation
 * was edited. Saves bytes, not tokens. Linear.
 *
 * @param items - The fitted items of this request. The output of the last response stands among them.
 *
 * @example
 * ```ts
 * import { continuation } from "@agent-history/openai";
 *
 * const question = { role: "user" as const, content: "To Rome, please." };
 * const answer = { type: "message" as const, role: "assistant" as const, content: "Which day?" };
 * const last = { items: [question], response: { id: "resp_1", output: [answer] } };
 * continuation([question, answer, { role: "user", content: "Friday." }], last);
 * // => { input: [{ role: "user", content: "Friday." }], previous_response_id: "resp_1" }
 * continuation([{ role: "user", content: "Friday." }], last);
 * // => { input: [{ role: "user", content: "Friday." }] }
 * ```
 */
export function continuation(
  items: readonly ResponseItem[],
  last?: SentResponse,
): ResponseContinuation {
  const added =
    last && newMessages(items, { sent: last.items, answer: last.response.output }, format);
  if (last === undefined || added === undefined || added.length === 0) return { input: [...items] };
  const { id: previous_response_id } = last.response;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- some of the items
  return { input: added as ResponseItem[], previous_response_id };
}

/**
 * Sends the {@link continuation} of a conversation, and all items where OpenAI holds it no longer: it was never stored, has expired or was deleted.
 *
 * @param send - Sends a request: `(request) => client.responses.create({ model, store: true, ...request })`.
 * @throws What `send` throws, but for the first answer that the response is not known.
 */
export async function sendContinuation<Response>(
  items: readonly ResponseItem[],
  last: SentResponse | undefined,
  send: (request: ResponseContinuation) => Promise<Response>,
): Promise<Response> {
  const continued = continuation(items, last);
  const isWhole = continued.previous_response_id === undefined;
  return sendOrReplay(continued, isWhole ? continued : continuation(items), send);
}

const GIVEN = new Set<unknown>(["system", "developer", "user"]);

const format: ContinuedFormat = {
  isAnswer: (item) => {
    const { type = "message", role }: Item = item;
    return type === "message" ? !GIVEN.has(role) : !/_output$|_response$/u.test(String(type));
  },
  said: (answer) =>
    answer.flatMap(({ type = "message", call_id, content }: Item) => {
      if (type === "reasoning") return [];
      return [[call_id ?? type, typeof content === "string" ? content : textsOf(content)]];
    }),
};

interface Item {
  readonly type?: unknown;
  readonly role?: unknown;
  readonly call_id?: unknown;
  readonly content?: unknown;
}

function textsOf(content: unknown): string {
  const parts: readonly { readonly text?: unknown }[] = Array.isArray(content) ? content : [];
  return parts.map(({ text }) => (typeof text === "string" ? text : "")).join("");
}
