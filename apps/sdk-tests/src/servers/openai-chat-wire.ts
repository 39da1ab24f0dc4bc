import type { JsonObject, JsonValue } from "@agent-history/core";

import { chatHosts } from "./chat-hosts.ts";
import type { ChatHost } from "./chat-hosts.ts";
import { halvesOf, objectAt, objectsAt, textIn } from "./read-wire.ts";
import { refusing } from "./wire.ts";
import type { Wire } from "./wire.ts";

/** Where a host tells what its model thinks: https://api-docs.deepseek.com/guides/thinking_mode, https://console.groq.com/docs/reasoning */
const REASONING_FIELDS: ReadonlyMap<ChatHost, string> = new Map([
  ["deepseek", "reasoning_content"],
  ["groq", "reasoning"],
]);

/** Makes the chat completions of a host. */
export function chatWireOf(host: ChatHost): Wire {
  const field = REASONING_FIELDS.get(host);
  return {
    ...openaiChatWire,
    thoughts: (body) =>
      objectsAt(body, "messages").flatMap((message, index) => {
        const text = textIn(message["reasoning_content"]);
        return text === "" ? [] : [{ path: `messages.${index}`, text, fate: "valid" }];
      }),
    write: (reply, id, body) => {
      const { thinking } = reply;
      const answer = openaiChatWire.write(reply, id, body);
      if (field === undefined || thinking === undefined) return answer;
      const choices = objectsAt(answer, "choices").map((choice) => {
        return { ...choice, message: { ...objectAt(choice, "message"), [field]: thinking } };
      });
      return { ...answer, choices };
    },
    ...refusing(chatHosts[host]),
  };
}

/** OpenAI's chat completions. */
export const openaiChatWire: Wire = {
  path: "/v1/chat/completions",
  ...refusing(chatHosts.openai),
  windowPage: "https://developers.openai.com/api/docs/models",
  write: ({ text = null, calls }, id, body) => ({
    id,
    object: "chat.completion",
    created: 0,
    model: body["model"] ?? "",
    choices: [
      {
        index: 0,
        finish_reason: calls === undefined ? "stop" : "tool_calls",
        logprobs: null,
        message: {
          role: "assistant",
          content: text,
          refusal: null,
          ...(calls !== undefined && {
            tool_calls: calls.map(({ id: call, name, arguments: given }) => ({
              id: call,
              type: "function",
              function: { name, arguments: given },
            })),
          }),
        },
      },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }),
  stream: (answer) => {
    const [choice = {}] = objectsAt(answer, "choices");
    const message = objectAt(choice, "message");
    const { choices: _, usage = null, ...head } = answer;
    const chunk = (delta: JsonObject, reason: JsonValue = null): JsonObject => ({
      ...head,
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, finish_reason: reason }],
    });
    const calls = objectsAt(message, "tool_calls").map((call, index) => ({ ...call, index }));
    return [
      chunk({ role: "assistant", content: "" }),
      ...halvesOf(textIn(message["content"])).map((content) => chunk({ content })),
      ...calls.map((call) => chunk({ tool_calls: [call] })),
      chunk({}, choice["finish_reason"] ?? null),
      { ...head, object: "chat.completion.chunk", choices: [], usage },
    ];
  },
  writeError: (message) => ({ error: { message, type: "invalid_request_error", code: null } }),
};
