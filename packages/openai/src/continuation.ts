import { newMessages, sendOrReplay } from "@agent-history/format-kit";
import type { ContinuedFormat } from "@agent-history/format-kit";

import type { ResponseItem } from "./response-item.ts";

/** A sent request of the Responses API and its response. */
export interface SentResponse {
  /** All fitted items, even if only the new ones were sent. */
  readonly items: readonly ResponseItem[];
  /** The response, as the SDK returns it. */
  readonly response: { readonly id: string; readonly output: readonly object[] };
}

/** Fields of a request: `client.responses.create({ model, instructions, tools, store: true, ...continuation })`. */
export interface ResponseContinuation {
  /** The new items, or all items. */
  readonly input: ResponseItem[];
  /** The response that the new items follow. Absent if all items are sent. */
  readonly previous_response_id?: string;
}

/**
 * Returns the items that are new since a stored response, and its id; OpenAI has the others. Returns all items for the first request, and if the prompt has changed, e.g. because it was reduced or the conversation
 * was edited. Saves bytes, not tokens. Linear.
 *
 * @param items - The fitted items of this request, including the output of the last response.
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
 * Sends the {@link continuation} of a conversation; sends all items if OpenAI no longer has the response, because it was not stored, has expired or was deleted.
 *
 * @param send - Sends a request: `(request) => client.responses.create({ model, store: true, ...request })`.
 * @throws What `send` throws, except a first error that the response is unknown.
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
