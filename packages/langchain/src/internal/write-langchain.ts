import { messageRole } from "@agent-history/core";
import type {
  ContentPart,
  HistoryEntry,
  JsonObject,
  JsonValue,
  MessageRole,
  ToolCall,
} from "@agent-history/core";
import {
  indexOf,
  isJsonObject,
  partsOf,
  placeCalls,
  shownContent,
  textOf,
  withoutUndefined,
  writeCall,
  writeContent,
  writeParts,
} from "@agent-history/format-kit";
import type { WriteContext } from "@agent-history/format-kit";

import {
  callsAs,
  foreignContent,
  isInvalid,
  keyOf,
  KWARGS,
  langChainParts,
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
  const said = { type: TYPES[role], content: writeShown(entry, role, isOwn) };
  if (entry.type !== "observation" || role !== "tool") return said;
  const { callId, toolName, outcome } = entry;
  const status = outcome === "success" ? "success" : "error";
  const isOdd = isOwn && entry.origin?.extra?.["isOdd"] === true;
  return { ...said, tool_call_id: callId, name: toolName, ...(!isOdd && { status }) };
}

function writeShown(
  entry: HistoryEntry,
  role: MessageRole,
  isOwn: boolean,
): string | readonly JsonValue[] {
  const shown = shownContent(entry) ?? "";
  return writeContent(isOwn ? shown : foreignContent(shown, role), langChainParts, isOwn);
}

/** Writes a model's message that came from LangChain. */
function writeOwnAssistant(entry: HistoryEntry): JsonObject {
  const calls = entry.type === "action" ? entry.toolCalls : [];
  const write = (isMeant: (call: ToolCall) => boolean): readonly JsonValue[] =>
    calls.filter(isMeant).map((call) => writeCall(call, callsAs("tool_call"), true));
  const unknown = fieldParts(entry, "tool_calls").map((part) => ({
    block: part.type === "opaque" ? part.data : null,
    index: indexOf(part.extra?.["index"]),
  }));
  const [text] = fieldParts(entry, "reasoning_content");
  const [data] = fieldParts(entry, "reasoning");
  const kwargs = withoutUndefined({
    reasoning_content: text?.type === "reasoning" ? text.text : undefined,
    reasoning: data?.type === "reasoning" ? data.data : undefined,
    tool_calls: anyOf([
      ...calls.flatMap((call) => {
        const raw = call.extra?.["raw"];
        return isJsonObject(raw) ? writeCopy(call, raw) : [];
      }),
      ...write(({ extra }) => extra?.["at"] === "raw"),
    ]),
  });
  const listed = write((call) => !isInvalid(call) && call.extra?.["at"] === undefined);
  return withoutUndefined({
    type: "ai",
    content: writeBlocks(entry, calls),
    tool_calls: anyOf(placeCalls(listed, unknown)),
    invalid_tool_calls: anyOf(write(isInvalid)),
    [KWARGS]: Object.keys(kwargs).length > 0 ? kwargs : undefined,
  });
}

function anyOf(list: readonly JsonValue[]): readonly JsonValue[] | undefined {
  return list.length > 0 ? list : undefined;
}

/** Writes a message of the model's role that did not come from a LangChain model message. */
function writeForeignAssistant(entry: HistoryEntry): JsonObject {
  const said = writeShown(entry, "assistant", false);
  if (entry.type !== "action") return { type: "ai", content: said };
  const calls = entry.toolCalls.map((call) => writeCall(call, callsAs("tool_call"), false));
  return { type: "ai", content: said, tool_calls: calls };
}

/** Writes the field `content`: text as text, blocks as blocks, among them the copies of calls. */
function writeBlocks(
  { content = "" }: HistoryEntry,
  calls: readonly ToolCall[],
): JsonValue | undefined {
  if (typeof content === "string") return content;
  const parts = content.filter((part) => part.extra?.["field"] === undefined);
  const [only] = parts;
  if (only?.type === "text" && only.extra?.["as"] === "content") return only.text;
  if (parts.length === 0 && content.length > 0) return undefined;
  const byKey = new Map(calls.map((call) => [call.extra?.["index"], call]));
  return parts.flatMap((part): readonly JsonValue[] => {
    const key = keyOf(part);
    const call = byKey.get(key);
    if (key === undefined) return writeParts([part], langChainParts, true);
    return call === undefined ? [] : [writeCopy(call, part.extra ?? {})];
  });
}

/** Returns the parts that were read from a field of their own. */
function fieldParts(entry: HistoryEntry, field: string): readonly ContentPart[] {
  return partsOf(entry.content).filter((part) => part.extra?.["field"] === field);
}
