import type { JsonObject, JsonValue } from "@agent-history/core";
import { openaiChatProblems } from "@agent-history/testkit/provider-rules";

import { openaiChatRules } from "./openai-chat-rules.ts";
import { areUnique, brokenRules, halvesOf, objectsAt, textIn } from "./read-wire.ts";
import type { Wire } from "./wire.ts";

/** What each role may say beside text. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  user: ["text", "image_url", "input_audio", "file"],
  assistant: ["text", "refusal"],
};

/** OpenAI's chat completions. */
export const openaiChatWire: Wire = {
  path: "/v1/chat/completions",
  rules: openaiChatRules,
  windowPage: "https://developers.openai.com/api/docs/models",
  problems: (body) => {
    const messages = objectsAt(body, "messages");
    const tools = objectsAt(body, "tools").map((tool) => functionOf(tool));
    const calls = messages.flatMap((message) => objectsAt(message, "tool_calls")).map(functionOf);
    return [
      ...new Set(openaiChatProblems(messages).map(({ rule }) => rule)),
      ...brokenRules({
        "missing-model": typeof body["model"] !== "string",
        "odd-tool-name": [...tools, ...calls].some(({ name }) => !isName(name)),
        "duplicate-tool-name": !areUnique(tools.map(({ name }) => name)),
        "arguments-not-text": calls.some((call) => typeof call["arguments"] !== "string"),
        "part-of-another-role": messages.some(hasOddPart),
      }),
    ];
  },
  counted: (body) => [...objectsAt(body, "tools"), ...objectsAt(body, "messages")],
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
    const [message = {}] = objectsAt({ of: [choice["message"] ?? {}] }, "of");
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

/** A tool, and a call, of the kind `custom` is named as a function is. */
function functionOf(wire: JsonObject): JsonObject {
  const [own] = objectsAt({ own: [wire["function"] ?? wire["custom"] ?? {}] }, "own");
  return wire["type"] === "custom" ? { ...own, arguments: own?.["input"] ?? null } : { ...own };
}

function isName(name: unknown): boolean {
  return typeof name === "string" && /^[\w-]{1,64}$/u.test(name);
}

function hasOddPart(message: JsonObject): boolean {
  const allowed = PARTS[textIn(message["role"])] ?? ["text"];
  return objectsAt(message, "content").some(({ type }) => !allowed.includes(textIn(type)));
}
