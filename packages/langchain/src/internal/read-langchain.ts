import { sameJson } from "@agent-history/core";
import type { Content, ContentPart, JsonObject, JsonValue, MessageRole } from "@agent-history/core";
import {
  isJsonObject,
  nameOf,
  objectOf,
  parseJson,
  readCalls,
  readContent,
  readPart,
  textOf,
} from "@agent-history/format-kit";
import type { KeyedCall, ParsedMessage, ReadContext } from "@agent-history/format-kit";

import { callsAs, KWARGS, langChainParts, plainCalls, readCopy } from "./langchain-parts.ts";
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

function readResult(
  { tool_call_id: callId, name, status, content }: JsonObject,
  { index, waiting }: ReadContext,
): ParsedMessage {
  const id = nameOf(callId);
  const call = waiting.answer(id ?? "");
  return {
    says: {
      type: "observation",
      callId: id ?? call?.id ?? `call_${index}`,
      toolName: nameOf(name) ?? call?.name ?? "unknown_tool",
      outcome: status === "error" ? "error" : "success",
      content: readContent(content, langChainParts),
    },
    ...(!STATUSES.has(status ?? null) && { extra: { isOdd: true } }),
  };
}

/** The statuses of a result; one of another kind is carried, and is no outcome. */
const STATUSES: ReadonlySet<JsonValue> = new Set([null, "", "success", "error"]);

/** Reads a model's message; one with calls becomes an `action`. A provider's copy of a call is not a part of its own. */
function readAssistant(message: JsonObject, { index, waiting }: ReadContext): ParsedMessage {
  const { content: blocks, tool_calls: list, invalid_tool_calls: failed } = message;
  const kwargs = objectOf(message[KWARGS]);
  const codec = message["type"] === undefined ? plainCalls : callsAs("tool_call");
  const { calls: valid, unknown } = readCalls(list, codec, index);
  const invalid = readCalls(failed, callsAs("invalid_tool_call"), `${index}_invalid`).calls;
  const listed = withRaw([...valid, ...invalid], kwargs["tool_calls"]);
  // If its class has parsed none, LangChain sends those in OpenAI's raw list.
  const raw = readCalls(
    listed.length > 0 ? [] : kwargs["tool_calls"],
    callsAs("function", "raw"),
    index,
  ).calls;
  const calls =
    [listed, raw].find((some) => some.length > 0) ??
    readCalls(blocks, callsAs("tool_use", "block"), index).calls;
  const { parts, called } = readBlocks(calls, blocks);
  const content = joined(thoughtsOf(kwargs), parts, unknown);
  waiting.add(called);
  const toolCalls = called.map(({ call }) => call);
  return toolCalls.length === 0
    ? { says: { type: "assistant_message", content: content ?? "" } }
    : { says: { type: "action", toolCalls, ...(content !== undefined && { content }) } };
}

/** Adds OpenAI's raw copies to the calls, with the arguments as the model wrote them. A list that differs from the calls is not attached to them: a person who edits a call edits the message only. */
function withRaw(calls: readonly KeyedCall[], list: JsonValue | undefined): readonly KeyedCall[] {
  if (!Array.isArray(list) || list.length !== calls.length) return calls;
  const copied = calls.flatMap(({ key, call }, at): KeyedCall | [] => {
    const raw: JsonValue = list[at] ?? null;
    const text = textOf(objectOf(objectOf(raw)["function"])["arguments"]) ?? "";
    const isSame = sameJson(parseJson(text) ?? null, parseJson(call.arguments) ?? null);
    const own = isSame && isJsonObject(parseJson(text)) ? { ...call, arguments: text } : call;
    const copy = readCopy(own, raw);
    return copy === undefined ? [] : { key, call: { ...own, extra: { ...own.extra, raw: copy } } };
  });
  return copied.length === calls.length ? copied : calls;
}

/** Reads the content. The first block that equals a call is a copy of it. */
function readBlocks(
  calls: readonly KeyedCall[],
  content: JsonValue | undefined,
): { parts: Content | undefined; called: readonly KeyedCall[] } {
  if (!Array.isArray(content)) return { parts: textOf(content), called: calls };
  const called = [...calls];
  const parts = content.map((block: JsonValue, index): ContentPart => {
    for (const [at, { key, call }] of called.entries()) {
      const isFree = call.extra?.["index"] === undefined;
      const copy = isFree ? readCopy(call, block) : undefined;
      if (copy === undefined) continue;
      called[at] = { key, call: { ...call, extra: { ...call.extra, index } } };
      return { type: "opaque", data: {}, extra: { ...copy, call: index } };
    }
    return readPart(block, langChainParts);
  });
  return { parts, called };
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
