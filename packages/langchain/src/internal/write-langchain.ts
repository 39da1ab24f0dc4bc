import { messageRole } from "@agent-history/core";
import type {
  ContentPart,
  HistoryEntry,
  JsonObject,
  JsonValue,
  MessageRole,
  ObservationEntry,
  ToolCall,
} from "@agent-history/core";
import {
  indexOf,
  isJsonObject,
  partsOf,
  placeCalls,
  placesOf,
  shownContent,
  textOf,
  withoutUndefined,
  writeCall,
  writeContent,
  writeParts,
} from "@agent-history/format-kit";
import type { WriteContext } from "@agent-history/format-kit";

import {
  foreignContent,
  invalidCalls,
  isInvalid,
  isRaw,
  isUnlisted,
  KWARGS,
  langChainCalls,
  langChainParts,
  rawCalls,
  writeCopy,
} from "./langchain-parts.ts";

export const TYPES: Readonly<Record<MessageRole, string>> = {
  system: "system",
  user: "human",
  assistant: "ai",
  tool: "tool",
};

/** Writes an entry as a LangChain message: one that came from LangChain with its present content, any other by its role. */
export function writeLangChainMessage(
  entry: HistoryEntry,
  { isOwn, viewer }: WriteContext,
): JsonObject {
  const message = writeSaid(entry, messageRole(entry, isOwn ? {} : viewer), isOwn);
  const type = isOwn ? textOf(entry.origin?.extra?.["type"]) : undefined;
  return type === undefined ? message : { ...message, type };
}

function writeSaid(entry: HistoryEntry, role: MessageRole, isOwn: boolean): JsonObject {
  if (role === "assistant") return isOwn ? writeOwnAssistant(entry) : writeForeignAssistant(entry);
  if (entry.type === "observation" && role === "tool") return writeResult(entry, isOwn);
  return { type: TYPES[role], content: writeShown(entry, role, isOwn) };
}

function writeShown(
  entry: HistoryEntry,
  role: MessageRole,
  isOwn: boolean,
): string | readonly JsonValue[] {
  const shown = shownContent(entry) ?? "";
  return writeContent(isOwn ? shown : foreignContent(shown, role), langChainParts, isOwn);
}

/** Writes a result. A name or status that was missing in the source stays missing. */
function writeResult(entry: ObservationEntry, isOwn: boolean): JsonObject {
  const as = entry.origin?.extra?.["as"];
  const has = isJsonObject(as) ? as : {};
  const status = entry.outcome === "success" ? "success" : "error";
  return withoutUndefined({
    type: "tool",
    content: writeShown(entry, "tool", isOwn),
    tool_call_id: entry.callId,
    name: !isOwn || has["name"] === true ? entry.toolName : undefined,
    status: !isOwn || has["status"] === true ? status : undefined,
  });
}

/** Writes a model's message that came from LangChain. */
function writeOwnAssistant(entry: HistoryEntry): JsonObject {
  const calls = entry.type === "action" ? entry.toolCalls : [];
  const unknown = fieldParts(entry, "tool_calls").map((part) => ({
    block: dataOf(part),
    index: indexOf(part.extra?.["index"]),
  }));
  const toolCalls = placeCalls<JsonValue>(
    calls
      .filter((call) => !isInvalid(call) && !isUnlisted(call))
      .map((call) => writeCall(call, langChainCalls, true)),
    unknown,
  );
  const invalid = calls.filter(isInvalid).map((call) => writeCall(call, invalidCalls, true));
  const [text] = fieldParts(entry, "reasoning_content");
  const [data] = fieldParts(entry, "reasoning");
  const raw = [
    ...copiesOf(calls, "raw").map(({ block }) => block),
    ...calls.filter(isRaw).map((call) => writeCall(call, rawCalls, true)),
  ];
  const kwargs = withoutUndefined({
    reasoning_content: text?.type === "reasoning" ? text.text : undefined,
    reasoning: data?.type === "reasoning" ? data.data : undefined,
    tool_calls: raw.length > 0 ? raw : undefined,
  });
  return withoutUndefined({
    type: "ai",
    content: writeBlocks(entry, calls),
    tool_calls: toolCalls.length > 0 ? toolCalls : undefined,
    invalid_tool_calls: invalid.length > 0 ? invalid : undefined,
    [KWARGS]: Object.keys(kwargs).length > 0 ? kwargs : undefined,
  });
}

/** Writes a message of the model's role that did not come from a LangChain model message. */
function writeForeignAssistant(entry: HistoryEntry): JsonObject {
  const said = writeShown(entry, "assistant", false);
  if (entry.type !== "action") return { type: "ai", content: said };
  const calls = entry.toolCalls.map((call) => writeCall(call, langChainCalls, false));
  return { type: "ai", content: said, tool_calls: calls };
}

/** Writes the field `content`: text as text, blocks as blocks, with the copies of calls at their positions. */
function writeBlocks(entry: HistoryEntry, calls: readonly ToolCall[]): JsonValue | undefined {
  const { content } = entry;
  const came = copiesOf(calls, "block");
  const places = placesOf(
    entry,
    came.map(({ index }) => index),
  );
  const copies = came.map(({ block }, nth) => ({ block, index: places[nth] }));
  if (content === undefined || (typeof content === "string" && copies.length === 0)) {
    if (copies.length > 0) return copies.map(({ block }) => block);
    return content ?? (calls.length > 0 ? "" : undefined);
  }
  const parts = partsOf(content).filter((part) => part.extra?.["field"] === undefined);
  const [only] = parts;
  if (only?.type === "text" && only.extra?.["as"] === "content") return only.text;
  const isNothing = parts.length + copies.length === 0 && content.length > 0;
  if (isNothing) return undefined;
  return copies.length === 0
    ? writeContent(parts, langChainParts, true)
    : placeCalls<JsonValue>(writeParts(parts, langChainParts, true), copies);
}

function copiesOf(
  calls: readonly ToolCall[],
  where: "raw" | "block",
): readonly { readonly block: JsonValue; readonly index: number | undefined }[] {
  return calls.flatMap((call) => {
    const told = call.extra?.[where];
    if (!isJsonObject(told)) return [];
    return [{ block: writeCopy(call, told), index: indexOf(told["index"]) }];
  });
}

/** Returns the parts that were read from a field of their own. */
function fieldParts(entry: HistoryEntry, field: string): readonly ContentPart[] {
  return partsOf(entry.content).filter((part) => part.extra?.["field"] === field);
}

function dataOf(part: ContentPart): JsonValue {
  return part.type === "opaque" ? part.data : null;
}
