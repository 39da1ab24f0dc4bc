import type { ContentPart, JsonObject, JsonValue } from "@agent-history/core";
import {
  contradicts,
  isJsonObject,
  isToolCall,
  nameOf,
  readAnswer,
  readCall,
  readPart,
  wireDifference,
} from "@agent-history/format-kit";
import type {
  AnswerBlock,
  ParsedMessage,
  ReadContext,
  WaitingCalls,
} from "@agent-history/format-kit";

import { googleCalls, googleParts, readResponse, responsePart } from "./google-parts.ts";

/** Reads a content; nothing for one of an unknown role, or without parts. */
export function readContentOf(
  { role, parts }: JsonObject,
  context: ReadContext,
): readonly ParsedMessage[] {
  if (!Array.isArray(parts)) return [];
  switch (role) {
    case undefined:
    case "user":
    case "function":
      return parts.length === 0
        ? [{ says: { type: "user_message", content: [] } }]
        : readUserParts(parts, context);
    case "model":
      return parts.length === 0
        ? [{ says: { type: "assistant_message", content: [] } }]
        : readAnswerParts(parts, context);
    default:
      return [];
  }
}

/** Each response is an `observation`, and what stands between two of them a `user_message`. */
function readUserParts(
  parts: readonly JsonValue[],
  { index, waiting }: ReadContext,
): readonly ParsedMessage[] {
  const drafts: ParsedMessage[] = [];
  let beside: ContentPart[] = [];
  const close = (): void => {
    if (beside.length > 0) drafts.push({ says: { type: "user_message", content: beside } });
    beside = [];
  };
  for (const [at, part] of parts.entries()) {
    const result = readResult(part, waiting, `call_${index}_${at}`);
    if (result === undefined) {
      beside.push(readPart(part, googleParts));
    } else {
      close();
      drafts.push(result);
    }
  }
  close();
  return drafts;
}

function readResult(
  part: JsonValue,
  waiting: WaitingCalls,
  fallbackId: string,
): ParsedMessage | undefined {
  const given = isJsonObject(part) ? part["functionResponse"] : undefined;
  if (!isJsonObject(part) || !isJsonObject(given)) return undefined;
  const { content, outcome, isJson } = readResponse(given);
  const id = nameOf(given["id"]);
  const name = nameOf(given["name"]);
  // Calls and responses of older models have no ids: they go by name.
  const call =
    (id === undefined ? undefined : waiting.answer(id)) ??
    (name === undefined ? undefined : waiting.answer(keyOf(name)));
  const callId = call?.id ?? id ?? fallbackId;
  const toolName = name ?? call?.name ?? "unknown_tool";
  const says = { type: "observation", callId, toolName, outcome, content } as const;
  const usual = responsePart(says, { isOwn: true, isJson });
  const difference = wireDifference(usual, part);
  if (difference !== undefined && contradicts(difference, usual)) return undefined;
  const extra = {
    ...(isJson && { json: true }),
    ...(difference !== undefined && { result: difference }),
  };
  return { says, ...(Object.keys(extra).length > 0 && { extra }) };
}

function keyOf(name: string): string {
  return `name ${name}`;
}

function readAnswerParts(
  parts: readonly JsonValue[],
  { index, waiting }: ReadContext,
): readonly ParsedMessage[] {
  const blocks = parts.map((part, at): AnswerBlock => {
    const made = isJsonObject(part) ? part["functionCall"] : undefined;
    if (!isJsonObject(made)) return { kind: "parts", parts: [readPart(part, googleParts)] };
    const call = readCall(part, googleCalls, `call_${index}_${at}`);
    if (!isToolCall(call)) return { kind: "parts", parts: [call] };
    return { kind: "call", call, key: nameOf(made["id"]) ?? keyOf(call.name) };
  });
  return readAnswer(blocks, waiting);
}
