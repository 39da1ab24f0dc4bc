import type { JsonObject, JsonValue } from "@agent-history/core";
import {
  callBlock,
  contradicts,
  isJsonObject,
  nameOf,
  readAnswer,
  readCall,
  readPart,
  readUser,
  wireDifference,
} from "@agent-history/format-kit";
import type { AnswerBlock, ParsedMessage, ReadContext } from "@agent-history/format-kit";

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
        : readUser(parts, googleParts, (part, at) => readResult(part, context, at));
    case "model":
      return parts.length === 0
        ? [{ says: { type: "assistant_message", content: [] } }]
        : readAnswerParts(parts, context);
    default:
      return [];
  }
}

function readResult(
  part: JsonValue,
  { index, waiting }: ReadContext,
  at: number,
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
  const callId = call?.id ?? id ?? `call_${index}_${at}`;
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
    return callBlock(call, nameOf(made["id"]) ?? keyOf(nameOf(made["name"]) ?? "unknown_tool"));
  });
  return readAnswer(blocks, waiting);
}
