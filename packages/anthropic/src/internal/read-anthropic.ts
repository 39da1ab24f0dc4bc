import type { JsonObject, JsonValue } from "@agent-history/core";
import {
  callBlock,
  contradicts,
  isJsonObject,
  nameOf,
  readAnswer,
  readCall,
  readContent,
  readPart,
  readUser,
  textOf,
  wireDifference,
} from "@agent-history/format-kit";
import type {
  AnswerBlock,
  ParsedMessage,
  ReadContext,
  WaitingCalls,
} from "@agent-history/format-kit";

import {
  anthropicCalls,
  anthropicParts,
  isServerBlock,
  isServerCall,
  resultBlock,
} from "./anthropic-parts.ts";

/** Reads an Anthropic message; an empty list if its role is unknown. */
export function readAnthropicMessage(
  { role, content }: JsonObject,
  context: ReadContext,
): readonly ParsedMessage[] {
  switch (role) {
    case "system":
      return [{ says: { type: "system_message", content: readContent(content, anthropicParts) } }];
    case "user":
      return Array.isArray(content) && content.length > 0
        ? readUser(content, anthropicParts, (block) => readResult(block, context))
        : [{ says: { type: "user_message", content: readContent(content, anthropicParts) } }];
    case "assistant":
      return Array.isArray(content) && content.length > 0
        ? readAnswerBlocks(content, context)
        : [{ says: { type: "assistant_message", content: readContent(content, anthropicParts) } }];
    default:
      return [];
  }
}

function readResult(block: JsonValue, { index, waiting }: ReadContext): ParsedMessage | undefined {
  if (!isJsonObject(block) || block["type"] !== "tool_result") return undefined;
  // Results without an id answer the calls without an id, in order.
  const stated = nameOf(block["tool_use_id"]);
  const call = waiting.answer(stated ?? "");
  const callId = stated ?? call?.id ?? `call_${index}`;
  const says = {
    type: "observation",
    callId,
    toolName: call?.name ?? "unknown_tool",
    outcome: block["is_error"] === true ? "error" : "success",
    content: readContent(block["content"], anthropicParts),
  } as const;
  const usual = resultBlock(says, true);
  const difference = wireDifference(usual, block);
  if (difference === undefined) return { says };
  return contradicts(difference, usual) ? undefined : { says, extra: { result: difference } };
}

/** Server tool calls and their results stay in their answer unchanged; a result of an earlier answer's call becomes an observation. */
function readAnswerBlocks(
  content: readonly JsonValue[],
  { index, waiting }: ReadContext,
): readonly ParsedMessage[] {
  const runs = serverRuns(content);
  const blocks = content.map((block, at): AnswerBlock => {
    if (!isJsonObject(block) || runs.has(at)) {
      return { kind: "parts", parts: [readPart(block, anthropicParts)] };
    }
    if (block["type"] === "compaction") return { kind: "compaction", data: block };
    const answered = isServerResult(block) && waiting.find(textOf(block["tool_use_id"]) ?? "");
    // An unknown call may be a server tool's.
    if (answered === undefined || (answered !== false && isServerCall(answered))) {
      return { kind: "result", draft: readServerResult(block, waiting) };
    }
    if (block["type"] !== "tool_use" && !isServerBlock(block)) {
      return { kind: "parts", parts: [readPart(block, anthropicParts)] };
    }
    const call = readCall(block, anthropicCalls, `call_${index}_${at}`);
    return callBlock(call, textOf(block["id"]));
  });
  return readAnswer(blocks, waiting);
}

/** Finds server tool calls that are answered in the same message, and their results, by index. */
function serverRuns(blocks: readonly JsonValue[]): ReadonlySet<number> {
  const runs = new Set<number>();
  const calls = new Map<JsonValue | undefined, number>();
  for (const [index, block] of blocks.entries()) {
    if (!isJsonObject(block)) continue;
    if (isServerBlock(block)) calls.set(block["id"], index);
    const call = isServerResult(block) ? calls.get(block["tool_use_id"]) : undefined;
    if (call !== undefined) runs.add(call).add(index);
  }
  return runs;
}

/** Returns whether a block is the result of a tool that the provider runs. */
function isServerResult({ type, tool_use_id: callId }: JsonObject): boolean {
  return typeof type === "string" && type.endsWith("_tool_result") && typeof callId === "string";
}

/** Reads a server tool's result in a later message than its call. The block is kept whole, because it may be encrypted. */
function readServerResult(block: JsonObject, waiting: WaitingCalls): ParsedMessage {
  const { tool_use_id: id, is_error: isError, content: given } = block;
  const callId = nameOf(id) ?? "";
  const toolName = waiting.answer(callId)?.name ?? "unknown_tool";
  const isFailure = isJsonObject(given) && nameOf(given["type"])?.endsWith("_error") === true;
  const outcome = isError === true || isFailure ? "error" : "success";
  const content = [{ type: "opaque", data: block }] as const;
  return { says: { type: "observation", callId, toolName, outcome, content } };
}
