import type { Content, ContentPart, JsonValue, ToolCall } from "@agent-history/core";

import type { MessageDraft } from "./message-draft.ts";
import type { WaitingCalls } from "./waiting-calls.ts";

/** What one item of a model's answer is. */
export type AnswerBlock =
  | { readonly kind: "parts"; readonly parts: readonly ContentPart[] }
  /** `key` is how its result names it. */
  | { readonly kind: "call"; readonly call: ToolCall; readonly key: string };

/** Turns the items of one answer into an `action`, or without calls an `assistant_message`. */
export function readAnswer(blocks: readonly AnswerBlock[], waiting: WaitingCalls): MessageDraft {
  const content = blocks.flatMap((block) => (block.kind === "parts" ? block.parts : []));
  const lastParts = blocks.findLastIndex((block) => block.kind === "parts");
  const calls = blocks.flatMap((block, index) => {
    if (block.kind !== "call") return [];
    const { key, call } = block;
    return [{ key, call: index < lastParts ? withIndex(call, index) : call }];
  });
  waiting.add(calls);
  const toolCalls = calls.map(({ call }) => call);
  return toolCalls.length === 0
    ? { says: { type: "assistant_message", content: plainest(content) } }
    : { says: { type: "action", toolCalls, ...(content.length > 0 && { content }) } };
}

/** What a provider made of all before is no more to be trusted than the tool results among it. */
export function readCompaction(data: JsonValue): MessageDraft {
  const content = [{ type: "opaque", data }] as const;
  return { says: { type: "summary", content, strategy: "provider", trust: "tool" } };
}

/** Gives a text that bears nothing else as plain text. */
function plainest(content: readonly ContentPart[]): Content {
  const [only, ...others] = content;
  const isPlain = only?.type === "text" && only.extra === undefined && others.length === 0;
  return isPlain && only.text !== "" ? only.text : content;
}

function withIndex(call: ToolCall, index: number): ToolCall {
  return { ...call, extra: { ...call.extra, index } };
}
