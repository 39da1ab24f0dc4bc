import type { ContentPart, JsonObject, JsonValue, ToolCall } from "@agent-history/core";
import {
  isJsonObject,
  isToolCall,
  nameOf,
  readAnswer,
  readCall,
  readContent,
  readPart,
  writeCall,
} from "@agent-history/format-kit";
import type { AnswerBlock, EntryDraft, WaitingCalls } from "@agent-history/format-kit";

import { approvalRequests, modelCalls } from "./model-calls.ts";
import { modelParts } from "./model-parts.ts";

/** Reads an assistant's message. A call that the provider ran stays in the answer as it is, with its result. */
export function readAssistant(
  content: JsonValue | undefined,
  waiting: WaitingCalls,
): readonly EntryDraft[] {
  if (!Array.isArray(content) || content.length === 0) {
    return [{ says: { type: "assistant_message", content: readContent(content, modelParts) } }];
  }
  const parts: readonly JsonValue[] = content;
  const facts = { names: namesOf(parts), answered: answeredIn(parts), waiting };
  return readAnswer(
    parts.map((part) => readBlock(part, facts)),
    waiting,
  );
}

/** What the other parts of a message, and the messages before, say of its calls. */
interface CallFacts {
  readonly names: ReadonlyMap<string, string>;
  readonly answered: ReadonlySet<JsonValue | undefined>;
  readonly waiting: WaitingCalls;
}

function namesOf(parts: readonly JsonValue[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const part of parts) {
    const id = isJsonObject(part) ? nameOf(part["toolCallId"]) : undefined;
    const name = isJsonObject(part) ? nameOf(part["toolName"]) : undefined;
    if (id !== undefined && name !== undefined) names.set(id, name);
  }
  return names;
}

function answeredIn(parts: readonly JsonValue[]): ReadonlySet<JsonValue | undefined> {
  const results = parts.filter(isJsonObject).filter((part) => part["type"] === "tool-result");
  return new Set(results.map((part) => part["toolCallId"]));
}

function readBlock(part: JsonValue, facts: CallFacts): AnswerBlock {
  if (!isJsonObject(part)) return { kind: "parts", parts: [readPart(part, modelParts)] };
  if (isCompaction(part)) return { kind: "compaction", data: part };
  const { type, toolCallId, providerExecuted } = part;
  if (type === "tool-approval-request") return callBlock(readRequest(part, facts));
  const isRun = providerExecuted === true || facts.answered.has(toolCallId);
  return type === "tool-call" && !isRun
    ? callBlock(readCall(part, modelCalls, ""))
    : { kind: "parts", parts: [readPart(part, modelParts)] };
}

function readRequest(part: JsonObject, { names, waiting }: CallFacts): ToolCall | ContentPart {
  const request = readCall(part, approvalRequests, "");
  const callId = nameOf(part["toolCallId"]) ?? "";
  const name = names.get(callId) ?? waiting.find(callId)?.name;
  return isToolCall(request) && name !== undefined ? { ...request, name } : request;
}

/** Writes a tool call, or a request to approve one. */
export function writeModelCall(call: ToolCall, isOwn: boolean): JsonObject {
  const isRequest = isOwn && call.extra?.["as"] === "tool-approval-request";
  return writeCall(call, isRequest ? approvalRequests : modelCalls, isOwn);
}

function callBlock(call: ToolCall | ContentPart): AnswerBlock {
  return isToolCall(call) ? { kind: "call", call, key: call.id } : { kind: "parts", parts: [call] };
}

/** OpenAI's compaction comes as a custom part, Anthropic's as a text that says so in its options. */
function isCompaction({ type, kind, providerOptions }: JsonObject): boolean {
  if (type === "custom") return typeof kind === "string" && kind.endsWith(".compaction");
  if (type !== "text" || !isJsonObject(providerOptions)) return false;
  return Object.values(providerOptions).some(
    (options) => isJsonObject(options) && options["type"] === "compaction",
  );
}
