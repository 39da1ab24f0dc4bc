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
import type { AnswerBlock, ParsedMessage, WaitingCalls } from "@agent-history/format-kit";

import { approvalRequests, modelCalls } from "./model-calls.ts";
import { modelParts } from "./model-parts.ts";
import { readRunResult } from "./tool-message.ts";

/**
 * Reads an assistant's message. A call that the provider ran stays in the answer as it is, with its result; where that comes in a later
 * answer, it is a call as others are.
 */
export function readAssistant(
  content: JsonValue | undefined,
  waiting: WaitingCalls,
): readonly ParsedMessage[] {
  if (!Array.isArray(content) || content.length === 0) {
    return [{ says: { type: "assistant_message", content: readContent(content, modelParts) } }];
  }
  const parts: readonly JsonValue[] = content;
  const runs = runsIn(parts);
  const facts = { names: namesOf(parts), runs, isWaiting: isWaiting(parts, runs), waiting };
  return readAnswer(
    parts.map((part, index) => readBlock(part, index, facts)),
    waiting,
  );
}

/** What the other parts of a message, and the messages before, say of its calls. */
interface CallFacts {
  readonly names: ReadonlyMap<string, string>;
  /** The places of calls whose results stand behind them, and of these results. */
  readonly runs: ReadonlySet<number>;
  /** The answer goes on once something has come. */
  readonly isWaiting: boolean;
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

/** Finds the calls that are answered in their own message. */
function runsIn(parts: readonly JsonValue[]): ReadonlySet<number> {
  const runs = new Set<number>();
  const calls = new Map<JsonValue | undefined, number>();
  for (const [index, part] of parts.entries()) {
    if (!isJsonObject(part)) continue;
    const { type, toolCallId } = part;
    if (type === "tool-call") calls.set(toolCallId, index);
    const call = calls.get(toolCallId);
    if (type === "tool-result" && call !== undefined) runs.add(call).add(index);
  }
  return runs;
}

/** Some providers never say what their tools gave: in an answer that ends with a text nothing is waited for but by the caller's own calls. */
function isWaiting(parts: readonly JsonValue[], runs: ReadonlySet<number>): boolean {
  const last = parts.at(-1);
  if (!isJsonObject(last) || last["type"] !== "text") return true;
  return parts.some(
    (part, index) =>
      isJsonObject(part) &&
      part["type"] === "tool-call" &&
      part["providerExecuted"] !== true &&
      !runs.has(index),
  );
}

function readBlock(part: JsonValue, index: number, facts: CallFacts): AnswerBlock {
  const asItIs: AnswerBlock = { kind: "parts", parts: [readPart(part, modelParts)] };
  if (!isJsonObject(part)) return asItIs;
  if (isCompaction(part)) return { kind: "compaction", data: part };
  const { type, providerExecuted } = part;
  if (type === "tool-approval-request") return callBlock(readRequest(part, facts));
  if (facts.runs.has(index)) return asItIs;
  if (type === "tool-result") {
    const draft = readRunResult(part, facts.waiting);
    return draft === undefined ? asItIs : { kind: "result", draft };
  }
  return type === "tool-call" && (providerExecuted !== true || facts.isWaiting)
    ? callBlock(readCall(part, modelCalls, ""))
    : asItIs;
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
