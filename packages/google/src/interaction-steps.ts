import { messageRole } from "@agent-history/core";
import type {
  Content,
  ContentPart,
  FilePart,
  HistoryEntry,
  ImagePart,
  JsonObject,
  JsonValue,
  MessageRole,
  Viewer,
} from "@agent-history/core";
import {
  argumentsOf,
  callBlock,
  indexOf,
  isJsonObject,
  mergeJson,
  nameOf,
  parseJson,
  partsOf,
  placeCalls,
  plainText,
  portableContent,
  readAnswer,
  readCall,
  readContent,
  readConversation,
  readMessage,
  requireMessages,
  shownContent,
  sourceOf,
  textOf,
  wireDifference,
  withoutUndefined,
  writeCall,
  writeMessages,
  writePart,
  writeParts,
} from "@agent-history/format-kit";
import type {
  AnswerBlock,
  CallCodec,
  MessageFormat,
  ParsedMessage,
  PartCodec,
  ReadContext,
} from "@agent-history/format-kit";

import { leadingInstructions, NO_SIGNATURE, readInstruction, UNSIGNED } from "./contents.ts";
import type { FromContentsOptions, ReadResponse, Result } from "./contents.ts";

/** `origin.format` of entries read from steps of the Interactions API. */
export const STEP_FORMAT = "google-interactions";

/** Input of {@link fromInteractionSteps}: a step of the SDK, as JSON, or of another API version. */
export type InteractionStepLike = object;

/** Content of a step: of a user input, an output or a result. */
export type InteractionContent =
  | { type: "text"; text: string }
  | { type: "image" | "audio" | "document" | "video"; data?: string; uri?: string };

/** A step as it is written, for `input` of `interactions.create`. */
export type InteractionStep =
  | { type: "user_input"; content: InteractionContent[] }
  | { type: "model_output"; content: InteractionContent[] }
  | { type: "thought"; signature?: string; summary?: { type: "text"; text: string }[] }
  | { type: "function_call"; id: string; name: string; arguments: Record<string, unknown> }
  | {
      type: "function_result";
      call_id: string;
      name?: string;
      result: string | { [key: string]: unknown };
      is_error?: boolean;
    };

/**
 * Converts steps of Gemini's Interactions API to entries. `toInteractionSteps` restores the same steps, including unknown fields and unknown kinds. Linear.
 *
 * Neighboring steps of an answer (thoughts, outputs, calls, tools that the API ran) become one `action`, or one `assistant_message` if there are no calls; a `function_result` becomes an
 * `observation`. Thoughts are kept whole, with their signatures.
 *
 * Without `newId`, ids are derived from position and text, as in `fromContents`: pass the full conversation at each call, with new steps at the end.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if `steps` is not an array: pass text as `[{ type: "user_input", content: [{ type: "text", text }] }]`.
 *
 * @example
 * ```ts
 * import { fromInteractionSteps } from "@agent-history/google";
 *
 * const entries = fromInteractionSteps([
 *   { type: "user_input", content: [{ type: "text", text: "To Rome, please." }] },
 *   { type: "thought", signature: "UQ==" },
 *   { type: "function_call", id: "c1", name: "find", arguments: { to: "Rome" } },
 *   { type: "function_result", call_id: "c1", name: "find", result: "Two flights." },
 * ]);
 * entries.map(({ type }) => type);
 * // => ["user_message", "action", "observation"]
 * ```
 */
export function fromInteractionSteps(
  steps: readonly InteractionStepLike[],
  options: FromContentsOptions = {},
): readonly HistoryEntry[] {
  requireMessages(steps);
  const { systemInstruction, ...stamp } = options;
  const entries = readConversation({
    format: STEP_FORMAT,
    messages: steps,
    options: stamp,
    read: (index, waiting) => {
      const [message, length] = messageAt(steps, index);
      const read = readMessage(stepFormat, message, { ...stamp, index, waiting });
      return { messages: steps.slice(index, index + length), entries: read };
    },
  });
  return [...readInstruction(systemInstruction, stamp, STEP_FORMAT), ...entries];
}

/**
 * Converts entries to steps of Gemini's Interactions API, in order: entries that were read from steps become those steps again, with their present content. Linear. A `systemInstruction` is omitted,
 * because the request sends it as `system_instruction`.
 *
 * @param viewer - The reader of the prompt.
 *
 * @example
 * ```ts
 * import { action, observation } from "@agent-history/core";
 * import { toInteractionSteps } from "@agent-history/google";
 *
 * const call = { id: "c1", name: "find", arguments: '{"to":"Rome"}' };
 * const said = { callId: "c1", toolName: "find", outcome: "success", content: "Two flights." } as const;
 * toInteractionSteps([action({ toolCalls: [call] }), observation(said)]);
 * // => [
 * //   { type: "function_call", id: "c1", name: "find", arguments: { to: "Rome" } },
 * //   { type: "function_result", call_id: "c1", name: "find", result: "Two flights." },
 * // ]
 * ```
 */
export function toInteractionSteps(
  entries: readonly HistoryEntry[],
  viewer: Viewer = {},
): InteractionStep[] {
  const steps = stepsOf(writeMessages(stepFormat, entries, { viewer }));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what came in as a step goes out as one, whatever its provider put there
  return steps as InteractionStep[];
}

/** Fields of a request: `ai.interactions.create({ model, store: false, input, system_instruction })`. */
export interface InteractionRequest {
  readonly input: InteractionStep[];
  /** The texts of the system messages at the beginning of the conversation; absent if there are none. */
  readonly system_instruction?: string;
}

/** Converts entries to steps, and the system messages at the beginning to instructions, as {@link toGoogleRequest} does for contents. */
export function toInteractionRequest(
  entries: readonly HistoryEntry[],
  viewer: Viewer = {},
): InteractionRequest {
  const leading = leadingInstructions(entries, viewer);
  const text = leading.map((entry) => plainText(shownContent(entry))).join("\n\n");
  const input = toInteractionSteps(entries.slice(leading.length), viewer);
  return { input, ...(text !== "" && { system_instruction: text }) };
}

/** Returns the message that begins at an index, and its number of steps: an input or a result, otherwise the neighboring steps of an answer as `{ steps }`. */
function messageAt(steps: readonly unknown[], index: number): readonly [unknown, number] {
  if (isInput(steps[index])) return [steps[index], 1];
  let end = index + 1;
  while (end < steps.length && !isInput(steps[end])) end += 1;
  return [{ steps: steps.slice(index, end) }, end - index];
}

function isInput(step: unknown): boolean {
  if (typeof step !== "object" || step === null) return false;
  // A turn of another Gemini API has a role instead of a type.
  if (!("type" in step)) return "role" in step && step.role === "user";
  return step.type === "user_input" || step.type === "function_result";
}

/** Returns the steps of messages. */
function stepsOf(messages: readonly object[]): readonly unknown[] {
  return messages.flatMap((message): readonly unknown[] => {
    if (!("steps" in message) || "type" in message) return [message];
    return Array.isArray(message.steps) ? message.steps : [message];
  });
}

/** Steps of Gemini's Interactions API. An answer is an `action`, or an `assistant_message` without calls; a result is an `observation`. */
const stepFormat: MessageFormat = {
  name: STEP_FORMAT,
  idPrefix: "step",
  types: ["system_message", "user_message", "assistant_message", "action", "observation"],
  shape: "grouped",
  read: readStepMessage,
  write: (run, context) => {
    const [first] = run;
    // The request sends the instruction separately.
    if (context.isOwn && first.origin?.extra?.["as"] === "system") return undefined;
    if (messageRole(first, context.viewer) === "assistant") {
      return { steps: run.flatMap((entry) => writeAnswerOf(entry, context.isOwn)) };
    }
    const [step, ...others] = run.map((entry) => writeInput(entry, context.isOwn));
    return others.length === 0 ? step : { steps: [step ?? {}, ...others] };
  },
};

function readStepMessage(message: JsonObject, context: ReadContext): readonly ParsedMessage[] {
  const { type, steps, content } = message;
  if (type === "function_result") return [readResult(message, context)];
  if (type === "user_input") {
    return [{ says: { type: "user_message", content: readContent(content, stepParts) } }];
  }
  return Array.isArray(steps) ? readAnswerSteps(steps, context) : [];
}

function readResult(wire: JsonObject, { index, waiting }: ReadContext): ParsedMessage {
  const { isJson, ...said } = readStepResult(wire);
  const id = nameOf(wire["call_id"]);
  const call = id === undefined ? undefined : waiting.answer(id);
  const callId = call?.id ?? id ?? `call_${index}`;
  const toolName = nameOf(wire["name"]) ?? call?.name ?? "unknown_tool";
  const says = { type: "observation", callId, toolName, ...said } as const;
  return { says, ...(isJson && { extra: { json: true } }) };
}

function readAnswerSteps(
  steps: readonly JsonValue[],
  { index, waiting }: ReadContext,
): readonly ParsedMessage[] {
  const blocks = steps.map((step: JsonValue, at): AnswerBlock => {
    if (!isJsonObject(step)) return { kind: "parts", parts: [{ type: "opaque", data: step }] };
    if (step["type"] !== "function_call") return { kind: "parts", parts: readOutput(step) };
    const call = readCall(step, stepCalls, `call_${index}_${at}`);
    return callBlock(call, nameOf(step["id"]));
  });
  return readAnswer(blocks, waiting);
}

/** Reads an output as its contents: `extra.step` of the first has the step's other fields; the others are marked as joining it. Thoughts and tools that the API ran stay whole. */
function readOutput(step: JsonObject): readonly ContentPart[] {
  const { type, content } = step;
  if (type === "thought") return [{ type: "reasoning", text: "", data: step }];
  const [first, ...others] =
    type === "model_output" ? partsOf(readContent(content, stepParts)) : [];
  if (first === undefined || !Array.isArray(content)) return [{ type: "opaque", data: step }];
  const difference = wireDifference({ type: "model_output", content }, step) ?? {};
  return [
    { ...first, extra: { ...first.extra, step: difference } },
    ...others.map((part) => ({ ...part, extra: { ...part.extra, joins: true } })),
  ];
}

function writeAnswerOf(entry: HistoryEntry, isOwn: boolean): readonly JsonValue[] {
  const shown = shownContent(entry) ?? "";
  const parts = partsOf(isOwn ? shown : foreignStepContent(shown, "assistant"));
  const steps = writeOutputs(parts, isOwn);
  if (entry.type !== "action") return steps;
  const calls = entry.toolCalls.map((call) => ({
    block: writeCall(call, stepCalls, isOwn),
    index: isOwn ? indexOf(call.extra?.["index"]) : undefined,
  }));
  const placed = placeCalls<JsonValue>(steps, calls);
  const isUnsigned = entry.toolCalls[0]?.extra?.[UNSIGNED] === true;
  return isUnsigned ? [{ type: "thought", signature: NO_SIGNATURE }, ...placed] : placed;
}

function writeOutputs(parts: readonly ContentPart[], isOwn: boolean): readonly JsonValue[] {
  const steps: JsonValue[] = [];
  // The contents of the last step while it is an output.
  let contents: JsonValue[] | undefined;
  for (const part of parts) {
    const { step, joins } = part.extra ?? {};
    const isWhole = part.type === "reasoning" || (part.type === "opaque" && !step && !joins);
    const wire = isWhole ? part.data : writePart(part, stepParts, isOwn);
    if (isWhole || step !== undefined) contents = undefined;
    if (wire === undefined) continue;
    if (isWhole) steps.push(wire);
    else if (contents === undefined) {
      contents = [wire];
      const output = { type: "model_output", content: contents };
      steps.push(mergeJson(output, isJsonObject(step) ? step : undefined));
    } else contents.push(wire);
  }
  return steps;
}

function writeInput(entry: HistoryEntry, isOwn: boolean): JsonObject {
  const shown = shownContent(entry) ?? "";
  if (entry.type !== "observation") {
    const content = isOwn ? shown : foreignStepContent(shown, "user");
    return { type: "user_input", content: writeParts(content, stepParts, isOwn) };
  }
  const content = isOwn ? shown : foreignStepContent(shown, "tool");
  const isJson = isOwn && entry.origin?.extra?.["json"] === true;
  return resultStep({ ...entry, content }, isOwn, isJson);
}

/** The contents of inputs, outputs and results. */
const stepParts: PartCodec = {
  read: (wire) => {
    const { type, text, data, uri } = wire;
    if (type === "text") return typeof text === "string" ? { type: "text", text } : undefined;
    const payload = textOf(data) ?? textOf(uri);
    if (payload === undefined) return undefined;
    const mediaType = textOf(wire["mime_type"]);
    const source = sourceOf(typeof data === "string" ? "data" : "url", payload);
    const media = { source, ...(mediaType !== undefined && { mediaType }) };
    if (type === "image") return { type, ...media };
    const part: FilePart = { type: "file", ...media };
    return kindOf(part) === type ? part : { ...part, extra: { as: type ?? "document" } };
  },
  write: (part) => {
    if (part.type === "text") return { type: "text", text: part.text };
    return part.type === "image" || part.type === "file" ? writeMedia(part) : undefined;
  },
};

function writeMedia(part: ImagePart | FilePart): JsonObject | undefined {
  const { source, mediaType } = part;
  if (source.kind === "text") return { type: "text", text: source.text };
  if (source.kind === "id") return undefined;
  const type = part.type === "image" ? part.type : (textOf(part.extra?.["as"]) ?? kindOf(part));
  const place = source.kind === "data" ? { data: source.base64 } : { uri: source.url };
  return withoutUndefined({ type, ...place, mime_type: mediaType });
}

function kindOf({ mediaType = "" }: FilePart): "audio" | "video" | "document" {
  if (mediaType.startsWith("audio/")) return "audio";
  return mediaType.startsWith("video/") ? "video" : "document";
}

/** Returns content of another format as steps accept it: files only from users, images from users and tools. */
export function foreignStepContent(content: Content, role: MessageRole): Content {
  return portableContent(content, ({ type, source }) => {
    if (source.kind === "id" || role === "assistant") return false;
    return role !== "tool" || type === "image";
  });
}

/** The calls that the caller runs. */
const stepCalls: CallCodec = {
  read: (wire, fallbackId) => {
    const name = nameOf(wire["name"]);
    if (wire["type"] !== "function_call" || name === undefined) return undefined;
    const given = wire["arguments"] ?? {};
    return { id: nameOf(wire["id"]) ?? fallbackId, name, arguments: JSON.stringify(given) };
  },
  write: ({ id, name, arguments: text }) => {
    return { type: "function_call", id, name, arguments: argumentsOf(text) };
  },
};

/** Returns the step of a result. */
function resultStep(
  { callId, toolName, outcome, content }: Result,
  isOwn: boolean,
  isJson: boolean,
): JsonObject {
  const value = isJson && typeof content === "string" ? parseJson(content) : undefined;
  const said = typeof content === "string" ? content : writeParts(content, stepParts, isOwn);
  return {
    type: "function_result",
    call_id: callId,
    name: toolName,
    result: value ?? said,
    ...(outcome !== "success" && { is_error: true }),
  };
}

function readStepResult({ result, is_error: isError }: JsonObject): ReadResponse {
  const isJson = isJsonObject(result);
  const content = isJson ? JSON.stringify(result) : readContent(result, stepParts);
  return { content, outcome: isError === true ? "error" : "success", isJson };
}
