import type {
  Content,
  JsonObject,
  JsonValue,
  ObservationEntry,
  Outcome,
  ToolCall,
} from "@agent-history/core";
import {
  contradicts,
  isJsonObject,
  nameOf,
  parseJson,
  mergeJson,
  plainText,
  readContent,
  textOf,
  wireDifference,
  writeParts,
} from "@agent-history/format-kit";
import type { ParsedMessage, WaitingCalls } from "@agent-history/format-kit";

import { outputParts } from "./output-parts.ts";

const ANSWER = "tool-approval-response";

type Result = Pick<ObservationEntry, "callId" | "toolName" | "outcome" | "content">;

/** Reads a tool's message: each result and each answer to an approval is an `observation`. */
export function readToolMessage(
  content: JsonValue | undefined,
  waiting: WaitingCalls,
): readonly ParsedMessage[] {
  if (!Array.isArray(content)) return [];
  const drafts = content.map((part: JsonValue) => readResultPart(part, waiting));
  // One part that is no result makes the message one of no known kind.
  return drafts.includes(undefined) ? [] : drafts.filter((draft) => draft !== undefined);
}

function readResultPart(part: JsonValue, waiting: WaitingCalls): ParsedMessage | undefined {
  if (!isJsonObject(part)) return undefined;
  const { type, toolCallId, approvalId, output } = part;
  const isAnswer = type === ANSWER;
  const callId = nameOf(isAnswer ? approvalId : toolCallId);
  const read = isAnswer ? readAnswerToRequest(part) : readOutput(type, output);
  return callId === undefined || read === undefined
    ? undefined
    : draftResult(part, { callId, ...read }, waiting);
}

/** Reads what a tool that the provider ran gave, of an answer: providers know it by what they wrote, so that it stays as it is. */
export function readRunResult(part: JsonObject, waiting: WaitingCalls): ParsedMessage | undefined {
  const { type, toolCallId, output } = part;
  const callId = nameOf(toolCallId);
  const read = readOutput(type, output);
  if (callId === undefined || read === undefined || !isJsonObject(output)) return undefined;
  // Media cost more than they have characters.
  if (output["type"] === "content") return draftResult(part, { callId, ...read }, waiting);
  const content = [{ type: "opaque", data: output }] as const;
  return draftResult(part, { callId, outcome: read.outcome, content, as: "output" }, waiting);
}

function draftResult(
  part: JsonObject,
  { callId, as, ...said }: ReadResult & Pick<Result, "callId">,
  waiting: WaitingCalls,
): ParsedMessage | undefined {
  const name = nameOf(part["toolName"]) ?? waiting.answer(callId)?.name ?? "unknown_tool";
  const result = { callId, toolName: name, ...said };
  const usual = writePart(result, as, true);
  const difference = wireDifference(usual, part);
  if (difference !== undefined && contradicts(difference, usual)) return undefined;
  const extra = { ...(as !== undefined && { as }), ...(difference && { result: difference }) };
  const says = { type: "observation", ...result } as const;
  return Object.keys(extra).length > 0 ? { says, extra } : { says };
}

/** What a result says, and where its outcome and content do not tell, as which kind of output. */
interface ReadResult {
  readonly outcome: Outcome;
  readonly content: Content;
  readonly as?: string;
}

function readAnswerToRequest({ type, approved, reason }: JsonObject): ReadResult | undefined {
  if (type !== ANSWER || typeof approved !== "boolean") return undefined;
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

/** Writes a result, or the answer to an approval. What answers a request is an answer, whoever wrote it. */
export function writeResult(
  entry: ObservationEntry,
  { content, isOwn, call }: { content: Content; isOwn: boolean; call: ToolCall | undefined },
): JsonObject {
  const extra = isOwn ? entry.origin?.extra : undefined;
  const as = textOf(extra?.["as"]) ?? (!isOwn && isRequest(call) ? ANSWER : undefined);
  const difference = extra?.["result"];
  return mergeJson(
    writePart({ ...entry, content }, as, isOwn),
    isJsonObject(difference) ? difference : undefined,
  );
}

function isRequest(call: ToolCall | undefined): boolean {
  return call?.extra?.["as"] === "tool-approval-request";
}

function writePart(result: Result, as: string | undefined, isOwn: boolean): JsonObject {
  const { callId, toolName, outcome, content } = result;
  if (as !== ANSWER) {
    const output = writeOutput(outcome, content, as, isOwn);
    return { type: "tool-result", toolCallId: callId, toolName, output };
  }
  const reason = plainText(content);
  return {
    type: as,
    approvalId: callId,
    // A request that nobody answered is not approved.
    approved: outcome === "success",
    ...(reason !== "" && { reason }),
  };
}

function writeOutput(
  outcome: Outcome,
  content: Content,
  as: string | undefined,
  isOwn: boolean,
): JsonObject {
  const [part] = typeof content === "string" ? [] : content;
  if (as === "output" && part?.type === "opaque" && isJsonObject(part.data)) return part.data;
  const text = plainText(content);
  if (outcome === "denied") {
    return { type: "execution-denied", ...(text !== "" && { reason: text }) };
  }
  const isError = outcome !== "success";
  // Where JSON was shrunk to text, it goes as text.
  const value = as === "json" || as === "error-json" ? parseJson(text) : undefined;
  if (value !== undefined) return { type: isError ? "error-json" : "json", value };
  if (isError) return { type: "error-text", value: text };
  return typeof content === "string"
    ? { type: "text", value: content }
    : { type: "content", value: writeParts(content, outputParts, isOwn) };
}
