import type { JsonObject } from "@agent-history/core";
import * as z from "zod";

import { hasOrphan, hasUnanswered, pairedTurns } from "./paired-turns.ts";
import type { PairedTurn } from "./paired-turns.ts";
import { areUnique, isJsonOfObject, objectsAt, textIn } from "./read-wire.ts";
import { partsOrText } from "./wire.ts";
import type { Refused, Rules } from "./wire.ts";

const callsPage = "https://developers.openai.com/api/docs/guides/function-calling";

export const asks = { role: "user", content: "Which flights?" };
export const says = { role: "assistant", content: "Two." };
const made = { id: "abcdefgh1", type: "function", function: { name: "look", arguments: "{}" } };
export const calling = { role: "assistant", content: "", tool_calls: [made] };
export const result = { role: "tool", tool_call_id: "abcdefgh1", content: "" };
const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } };

/** A request for a chat completion, as its rules look at it. */
export interface ChatRequest {
  readonly body: JsonObject;
  readonly messages: readonly JsonObject[];
  /** Messages of tools in a row are one turn, each other message is one. */
  readonly turns: readonly PairedTurn<JsonObject>[];
}

/** What a host reads strictly. */
interface Strictness {
  /** Refuses fields that it does not know. */
  readonly isClosed?: boolean;
  readonly ids?: z.ZodString;
  /** Parses the arguments of calls. */
  readonly isParsed?: boolean;
}

const any = z.unknown().optional();
const part = (...types: readonly string[]) => z.looseObject({ type: z.enum(types) });
const fileData = z.string().startsWith("data:application/pdf;base64,").optional();
// https://developers.openai.com/api/docs/guides/file-inputs
const pdf = z.looseObject({
  type: z.literal("file"),
  file: z
    .looseObject({ file_id: any, file_data: fileData })
    .refine((one) => "file_data" in one || one.file_id),
});

/** What chat completions look like. */
export function chatShape({
  isClosed = false,
  ids = z.string().min(1),
  isParsed = true,
}: Strictness): z.ZodType {
  const object: typeof z.looseObject = isClosed ? z.strictObject : z.looseObject;
  const name = isClosed
    ? z
        .string()
        .regex(/^[^\s<|\\/>]+$/u)
        .nullish()
    : any;
  const text = partsOrText("text", part("text"));
  const toolName = z.string().regex(/^[\w-]{1,64}$/u);
  const given = isParsed ? z.string().refine(isJsonOfObject) : z.string();
  const named = object({ name: toolName, arguments: given });
  const custom = object({ name: toolName, input: z.string() });
  const call = object({
    id: ids,
    type: any,
    function: named.optional(),
    custom: custom.optional(),
  });
  const files = isClosed ? pdf : part("file");
  const answer = {
    role: z.literal("assistant"),
    content: partsOrText("text", part("text", "refusal")).nullish(),
    name,
    refusal: any,
    audio: object({ id: any }).nullish(),
    function_call: named.nullish(),
    tool_calls: z.array(call).min(1).nullish(),
    // An empty list stands in every answer and is sent back by everybody.
    annotations: isClosed ? z.array(z.never()).nullish() : any,
  };
  const message = z.discriminatedUnion("role", [
    object({ role: z.enum(["system", "developer"]), content: text, name }),
    object({
      role: z.literal("user"),
      content: partsOrText("text", z.union([part("text", "image_url", "input_audio"), files])),
      name,
    }),
    object(answer).refine(
      ({ content, refusal, audio, tool_calls: calls, function_call: one }) =>
        (content ?? refusal ?? audio ?? calls ?? one ?? null) !== null,
      { path: ["content"] },
    ),
    // Clients send the name of the tool, too.
    object({ role: z.literal("tool"), content: text, tool_call_id: ids, name }),
    object({ role: z.literal("function"), content: z.string(), name }),
  ]);
  return z.looseObject({ messages: z.array(message).min(1) });
}

function readChat(body: JsonObject): ChatRequest {
  const messages = objectsAt(body, "messages");
  const turns = pairedTurns(messages, (message, index) => {
    const isResult = message["role"] === "tool";
    return {
      by: isResult ? "tool" : `${index}`,
      calls: objectsAt(message, "tool_calls").map(({ id }) => textIn(id)),
      results: isResult ? [textIn(message["tool_call_id"])] : [],
    };
  });
  return { body, messages, turns };
}

const commonRules: Rules<ChatRequest> = {
  "duplicate-call-id": {
    source: callsPage,
    answer: "Invalid parameter: Duplicate value for 'tool_call_id' of 'a' in message[3].",
    refused: sending(asks, { ...calling, tool_calls: [made, made] }, result, result),
    breaks: ({ turns }) =>
      turns.some(({ calls, results }) => !areUnique(calls) || !areUnique(results)),
  },
  "unanswered-call": {
    source: callsPage,
    answer:
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: a",
    refused: sending(asks, calling, asks),
    breaks: ({ turns }) => hasUnanswered(turns),
  },
  "orphan-result": {
    source: callsPage,
    answer:
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    refused: sending(asks, result),
    breaks: ({ turns }) => hasOrphan(turns),
  },
};

/** What every server of the format refuses. */
export const commonChat: Refused<ChatRequest> = {
  reference: "https://platform.openai.com/docs/api-reference/chat/create",
  shape: chatShape({}),
  misshapen: {
    messages: sending(),
    "messages.role": sending({ role: "critic", content: "No." }),
    // https://github.com/openai/openai-node/issues/1341
    "messages.content": sending(asks, { role: "assistant", content: null }, asks),
    // https://developers.openai.com/api/docs/guides/images-vision
    "messages.content.type": sending(asks, calling, { ...result, content: [image] }),
    // https://github.com/openai/openai-python/issues/2061
    "messages.tool_calls": sending(asks, { ...says, tool_calls: [] }, asks),
    "messages.tool_calls.function.name": sending(asks, withCall({ name: "look up" }), result),
    // https://github.com/vllm-project/vllm/issues/48922
    "messages.tool_calls.function.arguments": sending(
      asks,
      withCall({ arguments: '{"to":"R' }),
      result,
    ),
  },
  read: readChat,
  rules: commonRules,
};

/** What OpenAI's chat completions refuse: of their specification also what others overlook. */
export const openaiChat: Refused<ChatRequest> = {
  ...commonChat,
  shape: chatShape({ isClosed: true, ids: z.string().min(1).max(64), isParsed: false }),
  misshapen: {
    ...commonChat.misshapen,
    "messages.tool_calls.function.arguments": sending(asks, withCall({ arguments: {} }), result),
    // https://github.com/jin-bo/agentao/pull/321
    "messages.tool_call_id": sending(...called("a".repeat(83))),
    // https://github.com/microsoft/agent-framework/issues/7127
    "messages.name": sending({ ...asks, name: "Ann Lee" }),
    // https://github.com/openai/openai-python/issues/3008
    "messages.parsed": sending(asks, { ...says, parsed: { flights: 2 } }, asks),
  },
};

/** A question, a call of this id and its result. */
export function called(id: string): readonly JsonObject[] {
  return [asks, { ...calling, tool_calls: [{ ...made, id }] }, { ...result, tool_call_id: id }];
}

function withCall(change: JsonObject): JsonObject {
  return { ...calling, tool_calls: [{ ...made, function: { ...made.function, ...change } }] };
}

export function sending(...messages: readonly JsonObject[]): JsonObject {
  return { model: "gpt-5.1", messages };
}
