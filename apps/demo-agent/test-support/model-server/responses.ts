import type { JsonObject, ToolCall } from "@agent-history/core";
import type { ChatMessage, ModelReply } from "@agent-history/offline-model";
import * as z from "zod";

import { joinCalls } from "./join-calls.ts";
import { nameResults } from "./name-results.ts";
import { frame, pieces, USAGE } from "./wire.ts";
import type { ReplyEnd, Wire } from "./wire.ts";

const parts = z.array(z.object({ type: z.literal("input_text"), text: z.string() }));
const item = z.union([
  z.object({ role: z.enum(["system", "developer", "assistant"]), content: z.string() }),
  z.object({ role: z.literal("user"), content: parts }),
  z.object({
    type: z.literal("function_call"),
    call_id: z.string().min(1),
    name: z.string(),
    arguments: z.string(),
  }),
  z.object({ type: z.literal("function_call_output"), call_id: z.string(), output: z.string() }),
]);
const body = z.object({
  model: z.string(),
  stream: z.boolean().optional(),
  store: z.literal(false),
  input: z.array(item).min(1),
  tools: z
    .array(
      z.object({
        type: z.literal("function"),
        name: z.string(),
        description: z.string().optional(),
        parameters: z.object({ type: z.literal("object") }).catchall(z.json()),
      }),
    )
    .optional(),
});

/** OpenAI's Responses. */
export const responses: Wire = {
  path: "/responses",
  keyHeader: ["authorization", "Bearer "],
  read: (given) => {
    const { input, tools = [] } = body.parse(given);
    return {
      messages: nameResults(joinCalls(input.map(readItem))),
      tools: tools.map(({ name, description = "", parameters }) => ({
        name,
        description,
        parameters,
      })),
    };
  },
  writeWhole: ({ text, toolCalls = [] }) => ({
    id: "resp_1",
    created_at: 1,
    model: "scripted",
    output: [
      ...(text === undefined ? [] : [{ ...MESSAGE, content: [output(text)] }]),
      ...toolCalls.map(({ id, name, arguments: json }, index) => ({
        type: "function_call",
        id: `fc_${index}`,
        call_id: id,
        name,
        arguments: json,
        status: "completed",
      })),
    ],
    usage: { input_tokens: USAGE.input, output_tokens: USAGE.output },
  }),
  write: writeEvents,
  writeError: (code, message) => ({ error: { message, type: "error", param: null, code } }),
};

function readItem(given: z.infer<typeof item>): ChatMessage {
  if ("output" in given)
    return { role: "tool", callId: given.call_id, toolName: "", content: given.output };
  if ("arguments" in given) {
    const { call_id: id, name, arguments: text } = given;
    return { role: "assistant", content: "", toolCalls: [{ id, name, arguments: text }] };
  }
  const { role, content } = given;
  if (role === "user") return { role, content: content.map(({ text }) => text).join("\n") };
  return { role: role === "assistant" ? role : "system", content };
}

const MESSAGE = { type: "message", id: "msg_1", role: "assistant" };

function output(text: string): JsonObject {
  return { type: "output_text", text, annotations: [] };
}

const REASONS = { cut: "max_output_tokens", withheld: "content_filter" } as const;

function writeEvents({ text, toolCalls = [] }: ModelReply, end: ReplyEnd): readonly string[] {
  const message = text === undefined ? [] : writeText(text);
  const first = text === undefined ? 0 : 1;
  const events = [
    { type: "response.created", response: { id: "resp_1", created_at: 1, model: "scripted" } },
    ...message,
    ...toolCalls.flatMap((call, index) => writeCall(call, first + index)),
    writeEnd(end),
  ];
  return events.map((event) => frame(event, event.type));
}

function writeEnd(end: ReplyEnd): StreamEvent {
  const usage = { input_tokens: USAGE.input, output_tokens: USAGE.output };
  if (end === "whole") return { type: "response.completed", response: { usage } };
  const incomplete_details = { reason: REASONS[end] };
  return { type: "response.incomplete", response: { usage, incomplete_details } };
}

type StreamEvent = JsonObject & { readonly type: string };

function writeText(text: string): readonly StreamEvent[] {
  const location = { item_id: "msg_1", output_index: 0, content_index: 0 };
  return [
    { type: "response.output_item.added", output_index: 0, item: { ...MESSAGE, content: [] } },
    ...pieces(text).map((delta) => ({ type: "response.output_text.delta", ...location, delta })),
    {
      type: "response.output_item.done",
      output_index: 0,
      item: { ...MESSAGE, content: [output(text)] },
    },
  ];
}

function writeCall(call: ToolCall, index: number): readonly StreamEvent[] {
  const { id, name, arguments: text } = call;
  const item_id = `fc_${index}`;
  const head = { type: "function_call", id: item_id, call_id: id, name };
  const location = { item_id, output_index: index };
  const done = { ...head, arguments: text, status: "completed" };
  return [
    { type: "response.output_item.added", output_index: index, item: { ...head, arguments: "" } },
    ...pieces(text).map((delta) => ({
      type: "response.function_call_arguments.delta",
      ...location,
      delta,
    })),
    { type: "response.output_item.done", output_index: index, item: done },
  ];
}
