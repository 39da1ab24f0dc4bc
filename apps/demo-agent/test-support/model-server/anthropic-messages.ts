import type { JsonObject, ToolCall } from "@agent-history/core";
import type { ChatMessage, ModelReply } from "@agent-history/offline-model";
import * as z from "zod";

import { joinCalls } from "./join-calls.ts";
import { nameResults } from "./name-results.ts";
import { frame, pieces, USAGE } from "./wire.ts";
import type { ReplyEnd, Wire } from "./wire.ts";

const text = z.object({ type: z.literal("text"), text: z.string().min(1) });
const block = z.discriminatedUnion("type", [
  text,
  z.object({
    type: z.literal("tool_use"),
    id: z.string().regex(/^[\w-]+$/),
    name: z.string(),
    input: z.record(z.string(), z.json()),
  }),
  z.object({
    type: z.literal("tool_result"),
    tool_use_id: z.string(),
    content: z.union([z.string(), z.array(text)]),
  }),
]);
const body = z.object({
  model: z.string(),
  stream: z.boolean().optional(),
  max_tokens: z.int().positive(),
  system: z.array(text).optional(),
  messages: z
    .array(z.object({ role: z.enum(["user", "assistant"]), content: z.array(block).min(1) }))
    .min(1)
    .refine(takesTurns, "Roles must alternate, beginning with the user."),
  tools: z
    .array(
      z.object({
        name: z.string(),
        description: z.string().optional(),
        input_schema: z.object({ type: z.literal("object") }).catchall(z.json()),
      }),
    )
    .optional(),
});

/** Anthropic's Messages. */
export const anthropicMessages: Wire = {
  path: "/messages",
  keyHeader: ["x-api-key", ""],
  read: (given) => {
    const { system = [], messages, tools = [] } = body.parse(given);
    const instructions = system.map((each) => ({ role: "system", content: each.text }) as const);
    const said = messages.flatMap(({ role, content }) =>
      content.map((each) => readBlock(each, role)),
    );
    return {
      messages: nameResults([...instructions, ...joinCalls(said)]),
      tools: tools.map(({ name, description = "", input_schema }) => ({
        name,
        description,
        parameters: input_schema,
      })),
    };
  },
  writeWhole: ({ text: said, toolCalls = [] }) => ({
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "scripted",
    content: [
      ...(said === undefined ? [] : [{ type: "text", text: said }]),
      ...toolCalls.map(({ id, name, arguments: json }) => ({
        type: "tool_use",
        id,
        name,
        input: z.json().parse(JSON.parse(json)),
      })),
    ],
    stop_reason: toolCalls.length > 0 ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: usage(USAGE.output),
  }),
  write: writeEvents,
  writeError: (code, message) => ({ type: "error", error: { type: code, message } }),
};

function takesTurns(messages: readonly { readonly role: string }[]): boolean {
  return messages.every(({ role }, index) => role === (index % 2 === 0 ? "user" : "assistant"));
}

function readBlock(given: z.infer<typeof block>, role: "user" | "assistant"): ChatMessage {
  switch (given.type) {
    case "text":
      return { role, content: given.text };
    case "tool_use": {
      const { id, name, input } = given;
      const toolCalls = [{ id, name, arguments: JSON.stringify(input) }];
      return { role: "assistant", content: "", toolCalls };
    }
    case "tool_result": {
      const { tool_use_id: callId, content } = given;
      const said =
        typeof content === "string" ? content : content.map((each) => each.text).join("");
      return { role: "tool", callId, toolName: "", content: said };
    }
  }
}

const ENDS: Readonly<Record<ReplyEnd, string>> = {
  whole: "end_turn",
  cut: "max_tokens",
  withheld: "refusal",
};

function writeEvents({ text: said, toolCalls = [] }: ModelReply, end: ReplyEnd): readonly string[] {
  const reason = end === "whole" && toolCalls.length > 0 ? "tool_use" : ENDS[end];
  const first = said === undefined ? 0 : 1;
  const events = [
    {
      type: "message_start",
      message: { id: "msg_1", model: "scripted", content: [], usage: usage(1) },
    },
    { type: "ping" },
    ...(said === undefined ? [] : writeBlock(0, { type: "text", text: "" }, textDeltas(said))),
    ...toolCalls.flatMap((call, index) => writeCall(call, first + index)),
    {
      type: "message_delta",
      delta: { stop_reason: reason, stop_sequence: null },
      usage: { output_tokens: USAGE.output },
    },
    { type: "message_stop" },
  ];
  return events.map((event) => frame(event, event.type));
}

function usage(output: number): JsonObject {
  return { input_tokens: USAGE.input, output_tokens: output };
}

function textDeltas(said: string): readonly JsonObject[] {
  return pieces(said).map((part) => ({ type: "text_delta", text: part }));
}

function writeCall({ id, name, arguments: json }: ToolCall, index: number): readonly StreamEvent[] {
  const deltas = pieces(json).map((part) => ({ type: "input_json_delta", partial_json: part }));
  return writeBlock(index, { type: "tool_use", id, name, input: {} }, deltas);
}

type StreamEvent = JsonObject & { readonly type: string };

function writeBlock(
  index: number,
  content_block: JsonObject,
  deltas: readonly JsonObject[],
): readonly StreamEvent[] {
  return [
    { type: "content_block_start", index, content_block },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}
