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
import type { AnswerBlock, ParsedMessage, ReadContext } from "@agent-history/format-kit";

import { anthropicCalls, isServerBlock } from "./anthropic-calls.ts";
import { anthropicParts } from "./anthropic-parts.ts";
import { isServerResult, readServerResult, serverRuns } from "./server-results.ts";

/** Reads an assistant's message. What a server tool did stays in the answer, as it is; what it gave to an earlier answer is a result. */
export function readAnthropicAssistant(
  content: JsonValue | undefined,
  { index, waiting }: ReadContext,
): readonly ParsedMessage[] {
  if (!Array.isArray(content) || content.length === 0) {
    return [{ says: { type: "assistant_message", content: readContent(content, anthropicParts) } }];
  }
  const runs = serverRuns(content);
  const blocks = content.map((block: JsonValue, at): AnswerBlock => {
    if (runs.has(at)) return { kind: "parts", parts: [readPart(block, anthropicParts)] };
    return isServerResult(block)
      ? { kind: "result", draft: readServerResult(block, waiting) }
      : readBlock(block, `call_${index}_${at}`);
  });
  return readAnswer(blocks, waiting);
}

function readBlock(block: JsonValue, fallbackId: string): AnswerBlock {
  const type = isJsonObject(block) ? block["type"] : undefined;
  if (type === "compaction") return { kind: "compaction", data: block };
  if (!isJsonObject(block) || (type !== "tool_use" && !isServerBlock(block))) {
    return { kind: "parts", parts: [readPart(block, anthropicParts)] };
  }
  const call = readCall(block, anthropicCalls, fallbackId);
  return isToolCall(call)
    ? { kind: "call", call, key: textOf(block["id"]) ?? "" }
    : { kind: "parts", parts: [call] };
}
