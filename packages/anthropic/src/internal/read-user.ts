import type { ContentPart, JsonObject, JsonValue, ObservationEntry } from "@agent-history/core";
import {
  contradicts,
  isJsonObject,
  nameOf,
  mergeJson,
  readContent,
  readPart,
  shownContent,
  wireDifference,
  writeContent,
} from "@agent-history/format-kit";
import type { ParsedMessage, ReadContext } from "@agent-history/format-kit";

import { anthropicParts } from "./anthropic-parts.ts";
import { foreignContent } from "./foreign-content.ts";

/** Reads a user's message: each result is an `observation`, and what stands between two of them a `user_message`. */
export function readAnthropicUser(
  content: JsonValue | undefined,
  context: ReadContext,
): readonly ParsedMessage[] {
  if (!Array.isArray(content) || content.length === 0) {
    return [{ says: { type: "user_message", content: readContent(content, anthropicParts) } }];
  }
  const drafts: ParsedMessage[] = [];
  let beside: ContentPart[] = [];
  const close = (): void => {
    if (beside.length > 0) drafts.push({ says: { type: "user_message", content: beside } });
    beside = [];
  };
  for (const block of content) {
    const result = readResult(block, context);
    if (result === undefined) {
      beside.push(readPart(block, anthropicParts));
    } else {
      close();
      drafts.push(result);
    }
  }
  close();
  return drafts;
}

function readResult(block: JsonValue, { waiting }: ReadContext): ParsedMessage | undefined {
  if (!isJsonObject(block) || block["type"] !== "tool_result") return undefined;
  const callId = nameOf(block["tool_use_id"]);
  if (callId === undefined) return undefined;
  const says = {
    type: "observation",
    callId,
    toolName: waiting.answer(callId)?.name ?? "unknown_tool",
    outcome: block["is_error"] === true ? "error" : "success",
    content: readContent(block["content"], anthropicParts),
  } as const;
  const usual = usualResult(says, true);
  const difference = wireDifference(usual, block);
  if (difference === undefined) return { says };
  return contradicts(difference, usual) ? undefined : { says, extra: { result: difference } };
}

/** Writes a `tool_result` block. */
export function writeAnthropicResult(entry: ObservationEntry, isOwn: boolean): JsonObject {
  const said = shownContent(entry) ?? "";
  const shown = { ...entry, content: isOwn ? said : foreignContent(said, "tool") };
  const difference = isOwn ? entry.origin?.extra?.["result"] : undefined;
  return mergeJson(usualResult(shown, isOwn), isJsonObject(difference) ? difference : undefined);
}

function usualResult(
  { callId, outcome, content }: Pick<ObservationEntry, "callId" | "outcome" | "content">,
  isOwn: boolean,
): JsonObject {
  return {
    type: "tool_result",
    tool_use_id: callId,
    content: writeContent(content, anthropicParts, isOwn),
    ...(outcome !== "success" && { is_error: true }),
  };
}
