import type {
  Content,
  ContentPart,
  JsonObject,
  JsonValue,
  Outcome,
  ToolCall,
} from "@agent-history/core";
import {
  callBlock,
  contradicts,
  isJsonObject,
  isToolCall,
  nameOf,
  objectOf,
  readAnswer,
  readCall,
  readContent,
  readPart,
  textOf,
  wireDifference,
  withoutKeys,
} from "@agent-history/format-kit";
import type {
  AnswerBlock,
  ParsedMessage,
  ReadContext,
  WaitingCalls,
} from "@agent-history/format-kit";

import { modelCalls, modelParts, outputParts, REQUEST } from "./model-parts.ts";
import { APPROVAL, resultPart } from "./write-model.ts";

/** Reads a model message; returns nothing if its role is unknown. */
export function readModelMessage(
  { role, content }: JsonObject,
  { waiting }: ReadContext,
): readonly ParsedMessage[] {
  switch (role) {
    case "system":
      return [{ says: { type: "system_message", content: readContent(content, modelParts) } }];
    case "user":
      return [{ says: { type: "user_message", content: readContent(content, modelParts) } }];
    case "assistant":
      return readAssistant(content, waiting);
    case "tool":
      return readToolMessage(content, waiting);
    default:
      return [];
  }
}

/**
 * Reads an assistant message. A call that the provider ran stays in the answer unchanged, with its result; if the result is in a later
 * answer, it is read like any other call.
 */
function readAssistant(
  content: JsonValue | undefined,
  waiting: WaitingCalls,
): readonly ParsedMessage[] {
  if (!Array.isArray(content) || content.length === 0) {
    return [{ says: { type: "assistant_message", content: readContent(content, modelParts) } }];
  }
  const parts: readonly JsonValue[] = content;
  const runs = runsIn(parts);
  const calls = parts.map(objectOf).filter(({ toolName }) => nameOf(toolName) !== undefined);
  const names = new Map(calls.map(({ toolCallId, toolName }) => [toolCallId, nameOf(toolName)]));
  const facts = { names, runs, isWaiting: isWaiting(parts, runs), waiting };
  return readAnswer(
    parts.map((part, index) => readBlock(part, index, facts)),
    waiting,
  );
}

/** Facts about a message's calls from its other parts and from earlier messages. */
interface CallFacts {
  readonly names: ReadonlyMap<JsonValue | undefined, string | undefined>;
  /** The indexes of calls whose results follow in the same message, and of these results. */
  readonly runs: ReadonlySet<number>;
  /** Whether the answer continues after further results. */
  readonly isWaiting: boolean;
  readonly waiting: WaitingCalls;
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

/** Returns whether an answer waits for results. Some providers never return the results of their tools, so an answer that ends with text waits only if the caller's calls are open. */
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
  if (type === REQUEST)
    return callBlock(readRequest(part, index, facts), nameOf(part["approvalId"]) ?? UNNAMED);
  if (facts.runs.has(index)) return asItIs;
  if (type === "tool-result") {
    const draft = readResultPart(part, facts.waiting, true);
    return draft === undefined ? asItIs : { kind: "result", draft };
  }
  return type === "tool-call" && (providerExecuted !== true || facts.isWaiting)
    ? callBlock(readCall(part, modelCalls, `call_${index}`), textOf(part["toolCallId"]))
    : asItIs;
}

/** The key of an approval request without a valid id. */
const UNNAMED = " ";

/** A request has the name of its call, which is in its message or an earlier one. */
function readRequest(
  part: JsonObject,
  index: number,
  { names, waiting }: CallFacts,
): ToolCall | ContentPart {
  const request = readCall(part, modelCalls, `approval_${index}`);
  const { toolCallId: callId } = part;
  const name = names.get(callId) ?? waiting.find(nameOf(callId) ?? "")?.name;
  return isToolCall(request) && name !== undefined ? { ...request, name } : request;
}

/** Returns whether a part is a compaction: a custom part of OpenAI, or a text of Anthropic that is marked in its options. */
function isCompaction({ type, kind, providerOptions }: JsonObject): boolean {
  if (type === "custom") return typeof kind === "string" && kind.endsWith(".compaction");
  if (type !== "text" || !isJsonObject(providerOptions)) return false;
  return Object.values(providerOptions).some(
    (options) => isJsonObject(options) && options["type"] === "compaction",
  );
}

/** Reads a tool message: each result and each approval response becomes an `observation`. */
function readToolMessage(
  content: JsonValue | undefined,
  waiting: WaitingCalls,
): readonly ParsedMessage[] {
  if (!Array.isArray(content)) return [];
  const drafts = content.map((part: JsonValue) => readResultPart(part, waiting, false));
  // A message with any other part is of an unknown kind.
  return drafts.includes(undefined) ? [] : drafts.filter((draft) => draft !== undefined);
}

/** Reads a result, or a response to a request. In an answer, the result of a provider-run tool is kept verbatim, because the provider must recognize it. */
function readResultPart(
  part: JsonValue,
  waiting: WaitingCalls,
  isInAnswer: boolean,
): ParsedMessage | undefined {
  if (!isJsonObject(part)) return undefined;
  const { type, toolCallId, toolName, approvalId, output } = part;
  const isAnswer = type === APPROVAL;
  const stated = nameOf(isAnswer ? approvalId : toolCallId);
  const callId = stated ?? (isInAnswer ? undefined : waiting.answer(isAnswer ? UNNAMED : "")?.id);
  const read = isAnswer ? readAnswerToRequest(part) : readOutput(type, output);
  if (callId === undefined || read === undefined) return undefined;
  const name = nameOf(toolName) ?? waiting.answer(callId)?.name ?? "unknown_tool";
  // Media are read as parts, because their tokens do not follow from their length.
  const isVerbatim = isInAnswer && objectOf(output)["type"] !== "content";
  const verbatim = { content: [{ type: "opaque", data: output ?? null }], as: "output" } as const;
  const { as, ...said } = isVerbatim ? { ...read, ...verbatim } : read;
  const result = { callId, toolName: name, ...said };
  const usual = resultPart(result, as, true);
  const difference = wireDifference(usual, part);
  // Ids and names of a wrong type are replaced.
  const left = difference && withoutKeys(difference, ["toolCallId", "toolName", "approvalId"]);
  if (left !== undefined && contradicts(left, usual)) return undefined;
  const extra = { ...(as !== undefined && { as }), ...(difference && { result: difference }) };
  const says = { type: "observation", ...result } as const;
  return Object.keys(extra).length > 0 ? { says, extra } : { says };
}

/** The content of a result, and its output type if outcome and content do not imply it. */
interface ReadResult {
  readonly outcome: Outcome;
  readonly content: Content;
  readonly as?: string;
}

function readAnswerToRequest({ type, approved, reason }: JsonObject): ReadResult | undefined {
  if (type !== APPROVAL || typeof approved !== "boolean") return undefined;
  return { outcome: approved ? "success" : "denied", content: textOf(reason) ?? "", as: type };
}

function readOutput(
  partType: JsonValue | undefined,
  output: JsonValue | undefined,
): ReadResult | undefined {
  if (partType !== "tool-result" || !isJsonObject(output)) return undefined;
  const { type, value, reason } = output;
  if (type === "execution-denied") return { outcome: "denied", content: textOf(reason) ?? "" };
  if (type === "text" && typeof value === "string") return { outcome: "success", content: value };
  if (type === "error-text" && typeof value === "string") {
    return { outcome: "error", content: value };
  }
  if ((type === "json" || type === "error-json") && value !== undefined) {
    const outcome = type === "json" ? "success" : "error";
    return { outcome, content: JSON.stringify(value), as: type };
  }
  if (type === "content" && Array.isArray(value)) {
    return { outcome: "success", content: readContent(value, outputParts) };
  }
  return { outcome: "success", content: [{ type: "opaque", data: output }], as: "output" };
}
