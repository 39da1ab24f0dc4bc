import type {
  Content,
  ContentPart,
  JsonObject,
  JsonValue,
  MessageRole,
  ToolCall,
} from "@agent-history/core";
import {
  isJsonObject,
  isToolCall,
  nameOf,
  readCall,
  readCalls,
  readContent,
  readPart,
  textOf,
} from "@agent-history/format-kit";
import type { KeyedCall, ParsedMessage, ReadContext } from "@agent-history/format-kit";

import {
  asWritten,
  blockCalls,
  invalidCalls,
  isUnlisted,
  KWARGS,
  langChainCalls,
  langChainParts,
  plainCalls,
  rawCalls,
  readCopy,
} from "./langchain-parts.ts";
import { TYPES } from "./write-langchain.ts";

/** LangChain's names for roles, in its own messages and in plain ones. */
const ROLES: ReadonlyMap<string, MessageRole> = new Map([
  ["system", "system"],
  ["developer", "system"],
  ["human", "user"],
  ["user", "user"],
  ["ai", "assistant"],
  ["assistant", "assistant"],
  ["tool", "tool"],
]);

/** Reads a message of LangChain or a plain one; `undefined` if its role is unknown. */
export function readLangChainMessage(
  message: JsonObject,
  context: ReadContext,
): ParsedMessage | undefined {
  const { type, role: given } = message;
  // A message with a custom role has the role in a field beside its type.
  const name = type === undefined || type === "generic" ? given : type;
  const role = ROLES.get(textOf(name) ?? "");
  if (role === undefined) return undefined;
  const draft = readSaid(message, role, context);
  const as = textOf(type);
  return as === undefined || as === TYPES[role]
    ? draft
    : { ...draft, extra: { ...draft.extra, type: as } };
}

function readSaid(message: JsonObject, role: MessageRole, context: ReadContext): ParsedMessage {
  if (role === "assistant") return readAssistant(message, context);
  if (role === "tool") return readResult(message, context);
  const content = readContent(message["content"], langChainParts);
  return { says: { type: role === "system" ? "system_message" : "user_message", content } };
}

function readResult(message: JsonObject, { index, waiting }: ReadContext): ParsedMessage {
  const id = nameOf(message["tool_call_id"]);
  const call = waiting.answer(id ?? "");
  const name = nameOf(message["name"]);
  const { status } = message;
  const as = {
    ...(name !== undefined && { name: true }),
    ...((status === "success" || status === "error") && { status: true }),
  };
  return {
    says: {
      type: "observation",
      callId: id ?? call?.id ?? `call_${index}`,
      toolName: name ?? call?.name ?? "unknown_tool",
      outcome: status === "error" ? "error" : "success",
      content: readContent(message["content"], langChainParts),
    },
    ...(Object.keys(as).length > 0 && { extra: { as } }),
  };
}

/** Reads a model's message; one with calls becomes an `action`. A provider's copy of a call is not a part of its own. */
function readAssistant(message: JsonObject, { index, waiting }: ReadContext): ParsedMessage {
  const kwargs = isJsonObject(message[KWARGS]) ? message[KWARGS] : {};
  const codec = message["type"] === undefined ? plainCalls : langChainCalls;
  const { calls: valid, unknown } = readCalls(message["tool_calls"], codec, index);
  const listed = [...valid, ...readInvalid(message["invalid_tool_calls"], index)];
  const calls = listed.length > 0 ? listed : readUnlisted(message, kwargs, index);
  const raw = readRaw(calls, kwargs["tool_calls"]);
  const { parts, called } = readBlocks(raw, message["content"]);
  const content = joined(thoughtsOf(kwargs), parts, unknown);
  waiting.add(called.map((call, at) => ({ key: calls[at]?.key ?? call.id, call })));
  return called.length === 0
    ? { says: { type: "assistant_message", content: content ?? "" } }
    : { says: { type: "action", toolCalls: called, ...(content !== undefined && { content }) } };
}

/** Reads the calls of a message whose class has parsed none: those in OpenAI's raw list, which LangChain then sends, else those among the blocks. */
function readUnlisted(
  { content }: JsonObject,
  kwargs: JsonObject,
  index: number,
): readonly KeyedCall[] {
  const { calls } = readCalls(kwargs["tool_calls"], rawCalls, index);
  return calls.length > 0 ? calls : readCalls(content, blockCalls, index).calls;
}

function readInvalid(list: JsonValue | undefined, index: number): readonly KeyedCall[] {
  return (Array.isArray(list) ? list : []).flatMap((wire: JsonValue, at): KeyedCall | [] => {
    const call = readCall(wire, invalidCalls, `call_${index}_invalid_${at}`);
    const id = isJsonObject(wire) ? textOf(wire["id"]) : undefined;
    return isToolCall(call) ? { key: id ?? "", call } : [];
  });
}

/** Reads OpenAI's raw copies of the calls. A list that differs from the calls is not attached to them. */
function readRaw(calls: readonly KeyedCall[], list: JsonValue | undefined): readonly ToolCall[] {
  const bare = calls.map(({ call }) => call);
  if (!Array.isArray(list) || list.length !== calls.length || bare.some(isUnlisted)) return bare;
  const read = bare.map((call, at): ToolCall | undefined => {
    const copy: JsonValue = list[at] ?? null;
    const written = asWritten(call, copy);
    const raw = readCopy(written, copy);
    return raw && { ...written, extra: { ...call.extra, raw } };
  });
  return read.some((call) => call === undefined) ? bare : read.filter((call) => call !== undefined);
}

interface ReadBlocks {
  readonly parts: Content | undefined;
  readonly called: readonly ToolCall[];
}

/** Reads the content. The first block that equals a call is stored with that call, with its position. */
function readBlocks(calls: readonly ToolCall[], content: JsonValue | undefined): ReadBlocks {
  if (typeof content === "string") return { parts: content, called: calls };
  if (!Array.isArray(content)) return { parts: undefined, called: calls };
  const called = [...calls];
  const parts: ContentPart[] = [];
  // The positions of call blocks that other parts follow.
  const places = new Map<number, number>();
  let lastPart = -1;
  for (const [index, block] of content.entries()) {
    const at = called.findIndex(
      (call) => call.extra?.["block"] === undefined && readCopy(call, block) !== undefined,
    );
    const call = called[at];
    const told = call && readCopy(call, block);
    if (call === undefined || told === undefined) {
      parts.push(readPart(block, langChainParts));
      lastPart = index;
    } else {
      called[at] = { ...call, extra: { ...call.extra, block: told } };
      places.set(at, index);
    }
  }
  for (const [at, index] of places) {
    const call = called[at];
    const block = call?.extra?.["block"];
    if (call === undefined || !isJsonObject(block) || index > lastPart) continue;
    called[at] = { ...call, extra: { ...call.extra, block: { ...block, index } } };
  }
  const isCallsAlone = parts.length === 0 && content.length > 0;
  return { parts: isCallsAlone ? undefined : parts, called };
}

/** Reads reasoning that a provider's class stores beside the content. */
function thoughtsOf({ reasoning_content: text, reasoning: data }: JsonObject): ContentPart[] {
  const thoughts: ContentPart[] = [];
  if (typeof text === "string") {
    thoughts.push({ type: "reasoning", text, extra: { field: "reasoning_content" } });
  }
  if (isJsonObject(data)) {
    thoughts.push({ type: "reasoning", text: "", data, extra: { field: "reasoning" } });
  }
  return thoughts;
}

function joined(
  before: readonly ContentPart[],
  content: Content | undefined,
  after: readonly ContentPart[],
): Content | undefined {
  if (before.length + after.length === 0) return content;
  const said: readonly ContentPart[] =
    typeof content === "string"
      ? [{ type: "text", text: content, extra: { as: "content" } }]
      : (content ?? []);
  return [...before, ...said, ...after];
}
