import type { JsonObject, ToolCall } from "@agent-history/core";
import type { ChatMessage, ModelReply } from "@agent-history/offline-model";
import * as z from "zod";

import { nameResults } from "./name-results.ts";
import { frame, pieces, USAGE } from "./wire.ts";
import type { ReplyEnd, Wire } from "./wire.ts";

const call = z.object({
  id: z.string().min(1),
  type: z.literal("function"),
  function: z.object({ name: z.string(), arguments: z.string() }),
});
const message = z.discriminatedUnion("role", [
  z.object({ role: z.literal("system"), content: z.string() }),
  z.object({ role: z.literal("user"), content: z.string() }),
  z.object({
    role: z.literal("assistant"),
    content: z.string().nullish(),
    tool_calls: z.array(call).optional(),
  }),
  z.object({ role: z.literal("tool"), content: z.string(), tool_call_id: z.string() }),
]);
const body = z.object({
  model: z.string(),
  stream: z.boolean().optional(),
  messages: z.array(message).min(1),
  tools: z
    .array(
      z.object({
        type: z.literal("function"),
        function: z.object({
          name: z.string(),
          description: z.string().optional(),
          parameters: z.object({ type: z.literal("object") }).catchall(z.json()),
        }),
      }),
    )
    .optional(),
});

/** Chat completions, as OpenAI began them and most servers speak them. */
export const chatCompletions: Wire = {
  path: "/chat/completions",
  keyHeader: ["authorization", "Bearer "],
  read: (given) => {
    const { messages, tools = [] } = body.parse(given);
    return {
      messages: nameResults(messages.map(readMessage)),
      tools: tools.map((tool) => definition(tool.function)),
    };
  },
  writeWhole: ({ text, toolCalls = [] }) => ({
    ...HEAD,
    object: "chat.completion",
    choices: [
      {
        index: 0,
        finish_reason: toolCalls.length > 0 ? "tool_calls" : "stop",
        message: {
          role: "assistant",
          content: text ?? null,
          tool_calls: toolCalls.map(({ id, ...called }) => ({
            id,
            type: "function",
            function: called,
          })),
        },
      },
    ],
    usage: {
      prompt_tokens: USAGE.input,
      completion_tokens: USAGE.output,
      total_tokens: USAGE.input + USAGE.output,
    },
  }),
  write: writeChunks,
  writeError: (code, text) => ({ error: { message: text, type: "error", param: null, code } }),
};

function definition(tool: {
  name: string;
  description?: string | undefined;
  parameters: JsonObject;
}): { name: string; description: string; parameters: JsonObject } {
  return { name: tool.name, description: tool.description ?? "", parameters: tool.parameters };
}

function readMessage(given: z.infer<typeof message>): ChatMessage {
  if (given.role === "tool")
    return { role: "tool", callId: given.tool_call_id, toolName: "", content: given.content };
  if (given.role !== "assistant") return given;
  const toolCalls = (given.tool_calls ?? []).map((each): ToolCall => ({
    id: each.id,
    ...each.function,
  }));
  const content = given.content ?? "";
  return { role: "assistant", content, ...(toolCalls.length > 0 && { toolCalls }) };
}

const ENDS: Readonly<Record<ReplyEnd, string>> = {
  whole: "stop",
  cut: "length",
  withheld: "content_filter",
};

function writeChunks({ text = "", toolCalls = [] }: ModelReply, how: ReplyEnd): readonly string[] {
  const end = how === "whole" && toolCalls.length > 0 ? "tool_calls" : ENDS[how];
  return [
    chunk({ role: "assistant", content: "" }),
    ...pieces(text).map((content) => chunk({ content })),
    ...toolCalls.flatMap(writeCall),
    chunk({}, end),
    frame({
      ...HEAD,
      choices: [],
      usage: {
        prompt_tokens: USAGE.input,
        completion_tokens: USAGE.output,
        total_tokens: USAGE.input + USAGE.output,
      },
    }),
    frame("[DONE]"),
  ];
}

const HEAD = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "scripted" };

function chunk(delta: JsonObject, end: string | null = null): string {
  return frame({ ...HEAD, choices: [{ index: 0, delta, finish_reason: end }] });
}

function writeCall({ id, name, arguments: text }: ToolCall, index: number): readonly string[] {
  const first = { index, id, type: "function", function: { name, arguments: "" } };
  const rest = pieces(text).map((part) => ({ index, function: { arguments: part } }));
  return [first, ...rest].map((each) => chunk({ tool_calls: [each] }));
}
