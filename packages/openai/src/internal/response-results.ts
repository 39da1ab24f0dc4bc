import type {
  Content,
  ContentPart,
  JsonObject,
  JsonValue,
  ObservationEntry,
  Outcome,
  ToolCall,
} from "@agent-history/core";
import {
  contradicts,
  isJsonObject,
  mergeJson,
  nameOf,
  onlyAdds,
  partsOf,
  plainText,
  readContent,
  readPart,
  textOf,
  wireDifference,
  writeContent,
  writePart,
} from "@agent-history/format-kit";
import type { ParsedMessage, ReadContext } from "@agent-history/format-kit";

import { responseInputParts } from "./response-parts.ts";

/** Outcome and content of a result. */
interface Said {
  readonly outcome: Outcome;
  readonly content: Content;
}

/** One type of result: the field with its call's id, and how its content is read and written. */
interface ResultKind {
  readonly idKey: string;
  readonly read: (item: JsonObject) => Said | undefined;
  readonly write: (said: Said) => JsonObject;
}

/** A one-pixel image that replaces a removed screenshot, because text is not allowed there. */
const NO_SCREENSHOT = {
  type: "computer_screenshot",
  image_url:
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
};

const plainOutput: ResultKind = {
  idKey: "call_id",
  read: ({ output }) => ({ outcome: "success", content: readContent(output, responseInputParts) }),
  write: ({ content }) => ({ output: writeContent(content, responseInputParts, true) }),
};

/** A result that is one text. `failed` is the status of a failure. */
function textOutput(field: string, idKey: string, failed?: string): ResultKind {
  return {
    idKey,
    read: ({ [field]: text, status }) => ({
      outcome: failed !== undefined && status === failed ? "error" : "success",
      content: textOf(text) ?? "",
    }),
    write: ({ outcome, content }) => ({
      [field]: plainText(content),
      ...(failed !== undefined && { status: outcome === "success" ? "completed" : failed }),
    }),
  };
}

const computerOutput: ResultKind = {
  idKey: "call_id",
  read: ({ output = null }) => {
    const part = readPart(output, responseInputParts);
    const opaque: ContentPart = { type: "opaque", data: output };
    return { outcome: "success", content: [part.type === "image" ? part : opaque] };
  },
  write: ({ content }) => ({ output: writeOnly(content, ["image", "opaque"], NO_SCREENSHOT) }),
};

const shellOutput: ResultKind = {
  idKey: "call_id",
  read: ({ output }) => (Array.isArray(output) ? readShellOutput(output) : undefined),
  write: (said) => ({ output: writeShellOutput(said) }),
};

const foundTools: ResultKind = {
  idKey: "call_id",
  read: ({ tools = [] }) => ({ outcome: "success", content: [{ type: "opaque", data: tools }] }),
  write: ({ content }) => ({ tools: writeOnly(content, ["opaque"], []) }),
};

/** A request without an answer counts as not approved. */
const approval: ResultKind = {
  idKey: "approval_request_id",
  read: ({ approve, reason }) => ({
    outcome: approve === true ? "success" : "denied",
    content: textOf(reason) ?? "",
  }),
  write: ({ outcome, content }) => ({
    approve: outcome === "success",
    ...(plainText(content) !== "" && { reason: plainText(content) }),
  }),
};

const KINDS: ReadonlyMap<string, ResultKind> = new Map<string, ResultKind>([
  ["function_call_output", plainOutput],
  ["custom_tool_call_output", plainOutput],
  ["local_shell_call_output", textOutput("output", "id")],
  ["computer_call_output", computerOutput],
  ["shell_call_output", shellOutput],
  ["apply_patch_call_output", textOutput("output", "call_id", "failed")],
  ["tool_search_output", foundTools],
  ["mcp_approval_response", approval],
  ["program_output", textOutput("result", "call_id", "incomplete")],
]);

/** Types of results that are not named after their call. */
const RESULT_OF: ReadonlyMap<string, string> = new Map([
  ["tool_search_call", "tool_search_output"],
  ["mcp_approval_request", "mcp_approval_response"],
]);

/** Returns whether an item answers a call that the caller runs. The provider answers its own tool search. */
export function isResponseResult({ type, call_id: callId }: JsonObject): boolean {
  if (type === "tool_search_output") return nameOf(callId) !== undefined;
  return typeof type === "string" && KINDS.has(type);
}

/** Reads an item that answers a call; `undefined` for any other item. */
export function readResponseResult(
  item: JsonObject,
  { index, waiting }: ReadContext,
): ParsedMessage | undefined {
  const type = textOf(item["type"]) ?? "";
  const kind = KINDS.get(type);
  const said = kind?.read(item);
  if (!isResponseResult(item) || kind === undefined || said === undefined) return undefined;
  const id = nameOf(item[kind.idKey]);
  // A program that ran within one answer stays there with its output.
  if (type === "program_output" && waiting.find(id ?? "") === undefined) return undefined;
  const call = waiting.answer(id ?? "");
  const callId = id ?? call?.id ?? `call_${index}`;
  const toolName = call?.name ?? nameOf(item["name"]) ?? "unknown_tool";
  const usual = { type, [kind.idKey]: callId, ...kind.write(said) };
  const difference = wireDifference(usual, item);
  if (difference !== undefined && contradicts(difference, usual)) return undefined;
  const extra = { ...(type !== "function_call_output" && { as: type }), ...difference };
  const says = { type: "observation", callId, toolName, ...said } as const;
  return Object.keys(extra).length > 0 ? { says, extra } : { says };
}

/** Writes the item that answers a call, without the fields in `origin.extra`; a result of another format by the kind of its call. */
export function writeResponseResult(
  { callId, outcome, origin }: ObservationEntry,
  { content, isOwn, call }: { content: Content; isOwn: boolean; call: ToolCall | undefined },
): JsonObject {
  const type = isOwn
    ? (textOf(origin?.extra?.["as"]) ?? "function_call_output")
    : resultTypeOf(call);
  const { idKey, write } = KINDS.get(type) ?? plainOutput;
  const result = { type, [idKey]: callId, ...write({ outcome, content }) };
  return isOwn || type !== "tool_search_output" ? result : { ...result, execution: "client" };
}

/** Returns the type of the item that answers a call. */
export function resultTypeOf(call: ToolCall | undefined): string {
  const as = textOf(call?.extra?.["as"]) ?? "";
  const special = RESULT_OF.get(as) ?? `${as}_output`;
  if (KINDS.has(special)) return special;
  return call?.kind === "custom" ? "custom_tool_call_output" : "function_call_output";
}

/** Writes the first part if it has an allowed type; otherwise `other`, e.g. after the part was removed. */
function writeOnly(
  content: Content,
  types: readonly ContentPart["type"][],
  other: JsonValue,
): JsonValue {
  const [part]: readonly ContentPart[] = typeof content === "string" ? [] : content;
  if (part === undefined || !types.includes(part.type)) return other;
  const written = writePart(part, responseInputParts, true);
  return written === undefined ? other : written;
}

/** Reads the output of shell commands: a text each for stdout and stderr, unless empty. */
function readShellOutput(chunks: readonly JsonValue[]): Said {
  const failed = chunks.filter(isJsonObject).some(({ outcome }) => isFailure(outcome));
  return { outcome: failed ? "error" : "success", content: chunks.flatMap(readChunk) };
}

function isFailure(outcome: JsonValue | undefined): boolean {
  return isJsonObject(outcome) && (outcome["type"] === "timeout" || outcome["exit_code"] !== 0);
}

function readChunk(chunk: JsonValue): readonly ContentPart[] {
  const opaque: ContentPart = { type: "opaque", data: chunk };
  if (!isJsonObject(chunk) || !isJsonObject(chunk["outcome"])) return [opaque];
  const { stdout, stderr } = chunk;
  if (typeof stdout !== "string" || typeof stderr !== "string") return [opaque];
  const difference = wireDifference({ stdout, stderr }, chunk) ?? {};
  if (!onlyAdds(difference, { stdout, stderr })) return [opaque];
  const out: ContentPart = { type: "text", text: stdout, extra: { as: "stdout", ...difference } };
  return stderr === "" ? [out] : [out, { type: "text", text: stderr, extra: { as: "stderr" } }];
}

/** Writes the output of shell commands. A text that is not from one of them gets the exit code of the result's outcome. */
function writeShellOutput({ outcome, content }: Said): readonly JsonValue[] {
  const ended = { type: "exit", exit_code: outcome === "success" ? 0 : 1 };
  const chunks: JsonValue[] = [];
  for (const part of partsOf(content)) {
    const last = chunks.at(-1);
    if (part.type === "opaque") chunks.push(part.data);
    if (part.type !== "text") continue;
    if (part.extra?.["as"] === "stderr" && isJsonObject(last)) {
      chunks[chunks.length - 1] = { ...last, stderr: part.text };
    } else {
      const came = part.extra?.["as"] === "stdout" ? part.extra : undefined;
      chunks.push({ outcome: ended, ...mergeJson({ stdout: part.text, stderr: "" }, came) });
    }
  }
  return chunks;
}
