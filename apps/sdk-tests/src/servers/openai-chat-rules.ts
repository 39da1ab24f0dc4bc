import type { JsonObject } from "@agent-history/core";

import {
  areUnique,
  has,
  hasHalfSurrogate,
  hasOnly,
  isJsonOfObject,
  objectAt,
  objectsAt,
  textIn,
} from "./read-wire.ts";
import type { Rules } from "./wire.ts";

const apiPage = "https://platform.openai.com/docs/api-reference/chat/create";
const callsPage = "https://developers.openai.com/api/docs/guides/function-calling";
const spec = "https://github.com/openai/openai-openapi/blob/master/openapi.yaml";

export const asks = { role: "user", content: "Which flights?" };
export const says = { role: "assistant", content: "Two." };
const made = { id: "a", type: "function", function: { name: "look", arguments: "{}" } };
const calling = { role: "assistant", content: null, tool_calls: [made] };
const result = { role: "tool", tool_call_id: "a", content: "" };
const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } };
const tool = { type: "function", function: { name: "look", parameters: { type: "object" } } };

/** A request for a chat completion, as its rules look at it. */
export interface ChatRequest {
  readonly body: JsonObject;
  readonly messages: readonly JsonObject[];
  /** Calls of all messages; a call of the kind `custom` has its input as arguments. */
  readonly calls: readonly JsonObject[];
  readonly tools: readonly JsonObject[];
}

/** Reads a request. */
export function readChat(body: JsonObject): ChatRequest {
  const messages = objectsAt(body, "messages");
  return {
    body,
    messages,
    calls: messages.flatMap((message) => [
      ...objectsAt(message, "tool_calls").map(functionOf),
      ...(has(message, "function_call") ? [objectAt(message, "function_call")] : []),
    ]),
    tools: objectsAt(body, "tools").map(functionOf),
  };
}

function functionOf(wire: JsonObject): JsonObject {
  const own = objectAt(wire, wire["type"] === "custom" ? "custom" : "function");
  return wire["type"] === "custom" ? { ...own, arguments: own["input"] ?? "" } : own;
}

/** The fields and the parts of a message by its role. */
const ROLES: Readonly<Record<string, { readonly fields: string; readonly parts: string }>> = {
  system: { fields: "content name", parts: "text" },
  developer: { fields: "content name", parts: "text" },
  user: { fields: "content name", parts: "text image_url input_audio file" },
  assistant: {
    fields: "content name refusal audio function_call tool_calls annotations",
    parts: "text refusal",
  },
  // Clients send the name of the tool, too.
  tool: { fields: "content tool_call_id name", parts: "text" },
  function: { fields: "content name", parts: "" },
};

/** What every server of the format refuses. */
export const commonChatRules: Rules<ChatRequest> = {
  "no-message": {
    source: apiPage,
    answer:
      "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
    refused: sending(),
    breaks: ({ messages }) => messages.length === 0,
  },
  "unknown-role": {
    source: apiPage,
    answer:
      "Invalid value: 'critic'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
    refused: sending({ role: "critic", content: "No." }),
    breaks: ({ messages }) => messages.some(({ role }) => ROLES[textIn(role)] === undefined),
  },
  "empty-content": {
    source: "https://github.com/openai/openai-node/issues/1341",
    answer: "Invalid value for 'content': expected a string, got null.",
    refused: sending(asks, { role: "assistant", content: null }, asks),
    breaks: ({ messages }) => messages.some((message) => !hasContent(message)),
  },
  "empty-parts": {
    source: "https://github.com/MoonshotAI/kimi-code/issues/2691",
    answer:
      "Invalid 'messages[0].content': empty array. Expected an array with minimum length 1, but got an empty array instead.",
    refused: sending({ role: "user", content: [] }),
    breaks: ({ messages }) =>
      messages.some(({ content }) => Array.isArray(content) && content.length === 0),
  },
  "empty-calls": {
    source: "https://github.com/openai/openai-python/issues/2061",
    answer:
      "Invalid 'messages[1].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.",
    refused: sending(asks, { ...says, tool_calls: [] }, asks),
    breaks: ({ messages }) =>
      messages.some(
        (message) => has(message, "tool_calls") && objectsAt(message, "tool_calls").length === 0,
      ),
  },
  "missing-call-id": {
    source: callsPage,
    answer:
      "Invalid 'messages[0].tool_calls[0].id': empty string. Expected a string with minimum length 1, but got an empty string instead.",
    refused: sending(
      asks,
      { ...calling, tool_calls: [{ ...made, id: "" }] },
      { ...result, tool_call_id: "" },
    ),
    breaks: ({ messages }) => idsOf(messages).includes(""),
  },
  "duplicate-call-id": {
    source: callsPage,
    answer: "Invalid parameter: Duplicate value for 'tool_call_id' of 'a' in message[3].",
    refused: sending(asks, { ...calling, tool_calls: [made, made] }, result, result),
    breaks: ({ messages }) =>
      messages.some((message) => !areUnique(objectsAt(message, "tool_calls").map(({ id }) => id))),
  },
  "unanswered-call": {
    source: callsPage,
    answer:
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: a",
    refused: sending(asks, calling, asks),
    breaks: ({ messages }) => pairingOf(messages).isUnanswered,
  },
  "orphan-result": {
    source: callsPage,
    answer:
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    refused: sending(asks, result),
    breaks: ({ messages }) => pairingOf(messages).isOrphan,
  },
  "part-of-another-role": {
    source: "https://developers.openai.com/api/docs/guides/images-vision",
    answer:
      "Invalid 'messages[2]'. Image URLs are only allowed for messages with role 'user', but this message with role 'tool' contains an image URL.",
    refused: sending(asks, calling, { ...result, content: [image] }),
    breaks: ({ messages }) =>
      messages.some((message) => {
        const parts = ROLES[textIn(message["role"])]?.parts.split(" ");
        return objectsAt(message, "content").some(
          ({ type }) => parts?.includes(textIn(type)) === false,
        );
      }),
  },
  "arguments-not-text": {
    source: spec,
    answer:
      "Invalid type for 'messages[1].tool_calls[0].function.arguments': expected a string, but got an object instead.",
    refused: sending(
      asks,
      { ...calling, tool_calls: [{ ...made, function: { name: "look", arguments: {} } }] },
      result,
    ),
    breaks: ({ calls }) => calls.some((call) => typeof call["arguments"] !== "string"),
  },
  "half-surrogate": {
    source: "https://github.com/elizaOS/eliza/issues/18079",
    answer:
      "We could not parse the JSON body of your request. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.",
    refused: sending({ role: "user", content: "So \ud83d." }),
    breaks: ({ body }) => hasHalfSurrogate(body),
  },
  "missing-model": {
    source: apiPage,
    answer: "you must provide a model parameter",
    refused: { messages: [asks] },
    breaks: ({ body }) => typeof body["model"] !== "string",
  },
  "odd-tool-name": {
    source: apiPage,
    answer:
      "Invalid 'messages[1].tool_calls[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    refused: { ...sending(asks), tools: [{ type: "function", function: { name: "look up" } }] },
    breaks: ({ calls, tools }) =>
      [...calls, ...tools].some(({ name }) => !/^[\w-]{1,64}$/u.test(textIn(name))),
  },
  "duplicate-tool-name": {
    source: apiPage,
    answer: "Tool names must be unique.",
    refused: { ...sending(asks), tools: [tool, tool] },
    breaks: ({ tools }) => !areUnique(tools.map(({ name }) => name)),
  },
};

/** What OpenAI's chat completions refuse. */
export const openaiChatRules: Rules<ChatRequest> = {
  ...commonChatRules,
  "long-call-id": {
    source: "https://github.com/jin-bo/agentao/pull/321",
    answer:
      "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 64, but got a string with length 83 instead.",
    refused: sending(
      asks,
      { ...calling, tool_calls: [{ ...made, id: "a".repeat(83) }] },
      { ...result, tool_call_id: "a".repeat(83) },
    ),
    breaks: ({ messages }) => idsOf(messages).some((id) => id.length > 64),
  },
  "odd-author-name": {
    source: "https://github.com/microsoft/agent-framework/issues/7127",
    answer:
      "Invalid 'messages[0].name': string does not match pattern. Expected a string that matches the pattern '^[^\\s<|\\\\/>]+$'.",
    refused: sending({ ...asks, name: "Ann Lee" }),
    breaks: ({ messages }) =>
      messages.some(
        (message) => has(message, "name") && !/^[^\s<|\\/>]+$/u.test(textIn(message["name"])),
      ),
  },
  "unknown-field": {
    source: "https://github.com/openai/openai-python/issues/3008",
    answer: "Unknown parameter: 'messages[1].parsed'.",
    refused: sending(asks, { ...says, parsed: { flights: 2 } }, asks),
    breaks: ({ messages }) => messages.some(hasUnknownField),
  },
  "file-not-pdf": {
    source: "https://developers.openai.com/api/docs/guides/file-inputs",
    answer:
      "Invalid file data: 'messages[0].content[0].file.file_data'. Expected a base64-encoded data URL with an application/pdf MIME type (e.g. 'data:application/pdf;base64,aW1nIGJ5dGVzIGhlcmU='), but got unsupported MIME type 'text/csv'.",
    refused: sending({
      role: "user",
      content: [
        { type: "file", file: { filename: "a.csv", file_data: "data:text/csv;base64,QQ==" } },
      ],
    }),
    breaks: ({ messages }) =>
      partsOf(messages, "file").some((part) => {
        const file = objectAt(part, "file");
        const isPdf = textIn(file["file_data"]).startsWith("data:application/pdf;base64,");
        return !isPdf && !has(file, "file_id");
      }),
  },
  "too-many-images": {
    source: "https://developers.openai.com/api/docs/guides/images-vision",
    answer: "Too many images in request. Expected <= 1500.",
    refused: sending({ role: "user", content: Array.from({ length: 1501 }, () => image) }),
    breaks: ({ messages }) => partsOf(messages, "image_url").length > 1500,
  },
  "too-many-tools": {
    source: spec,
    answer:
      "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 129 instead.",
    refused: {
      ...sending(asks),
      tools: Array.from({ length: 129 }, (_, index) => ({
        type: "function",
        function: { name: `look_${index}` },
      })),
    },
    breaks: ({ tools }) => tools.length > 128,
  },
};

/** Returns whether the arguments of each call are JSON of an object, for servers that parse them. */
export function hasParsableArguments({ calls }: ChatRequest): boolean {
  return calls.every((call) => isJsonOfObject(textIn(call["arguments"])));
}

function partsOf(messages: readonly JsonObject[], type: string): readonly JsonObject[] {
  return messages.flatMap((message) =>
    objectsAt(message, "content").filter((part) => part["type"] === type),
  );
}

/** A text, empty or not, a refusal, a recorded voice, or a list; calls may stand without. */
function hasContent(message: JsonObject): boolean {
  const { content, role } = message;
  if (typeof content === "string" || Array.isArray(content)) return true;
  return (
    role === "assistant" &&
    ["refusal", "audio", "tool_calls", "function_call"].some((key) => has(message, key))
  );
}

/** Returns the ids of calls and of what answers them. */
export function idsOf(messages: readonly JsonObject[]): readonly string[] {
  return messages.flatMap((message) => [
    ...objectsAt(message, "tool_calls").map(({ id }) => textIn(id)),
    ...(message["role"] === "tool" ? [textIn(message["tool_call_id"])] : []),
  ]);
}

function pairingOf(messages: readonly JsonObject[]): {
  readonly isUnanswered: boolean;
  readonly isOrphan: boolean;
} {
  let open: string[] = [];
  let [isUnanswered, isOrphan] = [false, false];
  for (const message of messages) {
    if (message["role"] === "tool") {
      const index = open.indexOf(textIn(message["tool_call_id"]));
      if (index < 0) isOrphan = true;
      else open.splice(index, 1);
      continue;
    }
    isUnanswered ||= open.length > 0;
    open = objectsAt(message, "tool_calls").map(({ id }) => textIn(id));
  }
  return { isUnanswered: isUnanswered || open.length > 0, isOrphan };
}

/** An empty list of annotations stands in every answer and is sent back by everybody. */
function hasUnknownField(message: JsonObject): boolean {
  const fields = ROLES[textIn(message["role"])]?.fields.split(" ");
  const calls = objectsAt(message, "tool_calls");
  return (
    (fields !== undefined && !hasOnly(message, ["role", ...fields])) ||
    objectsAt(message, "annotations").length > 0 ||
    !hasOnly(objectAt(message, "audio"), ["id"]) ||
    calls.some((call) => !hasOnly(call, ["id", "type", "function", "custom"])) ||
    calls.some((call) => !hasOnly(functionOf(call), ["name", "arguments", "input"]))
  );
}

function sending(...messages: readonly JsonObject[]): JsonObject {
  return { model: "gpt-5.1", messages };
}
