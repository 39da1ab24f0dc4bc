import type { ContentPart, JsonValue, ToolCall } from "@agent-history/core";

import type { ParsedMessage } from "./parsed-message.ts";
import type { WaitingCalls } from "./waiting-calls.ts";
import { lateResult } from "./write-answer.ts";

/** What one block of a model's answer is. */
export type AnswerBlock =
  | { readonly kind: "parts"; readonly parts: readonly ContentPart[] }
  /** `key` is how its result names it. */
  | { readonly kind: "call"; readonly call: ToolCall; readonly key: string }
  /** What a tool of the provider's gave to a call of an earlier answer. */
  | { readonly kind: "result"; readonly draft: ParsedMessage }
  | { readonly kind: "compaction"; readonly data: JsonValue };

/**
 * Turns the blocks of one answer into an `action`, or without calls an `assistant_message`. A compaction is a `summary`
 * of its own, and what stands before and after it two entries. Results of earlier calls are entries of their own and stand first, behind
 * what they answer; `writeAnswer` puts them back.
 */
export function readAnswer(
  blocks: readonly AnswerBlock[],
  waiting: WaitingCalls,
): readonly ParsedMessage[] {
  const drafts = blocks.flatMap((block, index) =>
    block.kind === "result" ? [lateResult(block.draft, index)] : [],
  );
  let segment: AnswerBlock[] = [];
  const close = (): void => {
    if (segment.length > 0) drafts.push(readSegment(segment, waiting));
    segment = [];
  };
  for (const block of blocks) {
    if (block.kind === "compaction") {
      close();
      drafts.push(readCompaction(block.data));
    } else if (block.kind !== "result") {
      segment.push(block);
    }
  }
  close();
  return drafts;
}

/** What a provider made of all before is no more to be trusted than the tool results among it. */
export function readCompaction(data: JsonValue): ParsedMessage {
  const content = [{ type: "opaque", data }] as const;
  return { says: { type: "summary", content, strategy: "provider", trust: "tool" } };
}

function readSegment(blocks: readonly AnswerBlock[], waiting: WaitingCalls): ParsedMessage {
  const content = blocks.flatMap((block) => (block.kind === "parts" ? block.parts : []));
  const lastParts = blocks.findLastIndex((block) => block.kind === "parts");
  const calls = blocks.flatMap((block, index) => {
    if (block.kind !== "call") return [];
    const { key, call } = block;
    return [{ key, call: index < lastParts ? withIndex(call, index) : call }];
  });
  waiting.add(calls);
  const toolCalls = calls.map(({ call }) => call);
  if (toolCalls.length === 0) return { says: { type: "assistant_message", content } };
  return { says: { type: "action", toolCalls, ...(content.length > 0 && { content }) } };
}

function withIndex(call: ToolCall, index: number): ToolCall {
  return { ...call, extra: { ...call.extra, index } };
}
