import type { JsonValue } from "@agent-history/core";
import {
  isJsonObject,
  isToolCall,
  readAnswer,
  readCall,
  readContent,
  readPart,
  textOf,
} from "@agent-history/format-kit";
import type { AnswerBlock, EntryDraft, ReadContext } from "@agent-history/format-kit";

import { anthropicCalls } from "./anthropic-calls.ts";
import { anthropicParts } from "./anthropic-parts.ts";

/** Reads an assistant's message. What a server tool did stays in the answer, as it is. */
export function readAnthropicAssistant(
  content: JsonValue | undefined,
  { index, waiting }: ReadContext,
): readonly EntryDraft[] {
  if (!Array.isArray(content) || content.length === 0) {
    return [{ says: { type: "assistant_message", content: readContent(content, anthropicParts) } }];
  }
  const blocks = content.map((block: JsonValue, at) => readBlock(block, `call_${index}_${at}`));
  return readAnswer(blocks, waiting);
}

function readBlock(block: JsonValue, fallbackId: string): AnswerBlock {
  const type = isJsonObject(block) ? block["type"] : undefined;
  if (type === "compaction") return { kind: "compaction", data: block };
  if (type === "tool_use" && isJsonObject(block)) {
    const call = readCall(block, anthropicCalls, fallbackId);
    return isToolCall(call)
      ? { kind: "call", call, key: textOf(block["id"]) ?? "" }
      : { kind: "parts", parts: [call] };
  }
  return { kind: "parts", parts: [readPart(block, anthropicParts)] };
}
