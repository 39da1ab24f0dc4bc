import type {
  FilePart,
  ImagePart,
  JsonObject,
  JsonValue,
  ReasoningPart,
  ToolCall,
} from "@agent-history/core";
import {
  fromUrl,
  isJsonObject,
  nameOf,
  onlyAdds,
  parseJson,
  textOf,
  toUrl,
  wireDifference,
  withoutUndefined,
} from "@agent-history/format-kit";
import type { CallCodec, PartCodec } from "@agent-history/format-kit";

import {
  argumentsOf,
  fileData,
  readAudio,
  readDetail,
  readFile,
  saidCall,
  writeAudio,
} from "./chat-parts.ts";

/** The input parts of the Responses API, in messages and results. */
export const responseInputParts: PartCodec = {
  read: (wire) => {
    switch (wire["type"]) {
      case "input_text":
        return typeof wire["text"] === "string" ? { type: "text", text: wire["text"] } : undefined;
      case "input_image":
        return readImage(wire);
      case "computer_screenshot":
        return readImage(wire, { as: "computer_screenshot" });
      case "input_audio":
        return readAudio(wire["input_audio"]);
      case "input_file":
        return readInputFile(wire);
      default:
        return undefined;
    }
  },
  write: (part) => {
    switch (part.type) {
      case "text":
        return { type: "input_text", text: part.text };
      case "image":
        return writeImage(part);
      case "file":
        return writeAudio(part) ?? writeFile(part);
      case "reasoning":
      case "opaque":
        return undefined;
    }
  },
};

/** The parts of an assistant message item. A refusal is text with a marker in `extra`. */
export const responseOutputParts: PartCodec = {
  read: (wire) => {
    const { type, text, refusal } = wire;
    if (type === "output_text" && typeof text === "string") return { type: "text", text };
    if (type === "refusal" && typeof refusal === "string") {
      return { type: "text", text: refusal, extra: { as: type } };
    }
    const part = responseInputParts.read(wire);
    return part?.type === "text" ? { ...part, extra: { as: "input_text" } } : part;
  },
  write: (part) => {
    if (part.type !== "text") return responseInputParts.write(part);
    const as = part.extra?.["as"];
    if (as === "refusal") return { type: "refusal", refusal: part.text };
    return { type: as === "input_text" ? as : "output_text", text: part.text };
  },
};

function readImage(wire: JsonObject, extra?: JsonObject): ImagePart | undefined {
  const media = readSource(wire["image_url"], wire["file_id"]);
  return (
    media && { type: "image", ...media, ...readDetail(wire["detail"]), ...(extra && { extra }) }
  );
}

function readSource(
  url: JsonValue | undefined,
  id: JsonValue | undefined,
): Pick<ImagePart, "source" | "mediaType"> | undefined {
  if (typeof url === "string") return fromUrl(url);
  return typeof id === "string" ? { source: { kind: "id", id } } : undefined;
}

function writeImage({ source, mediaType, detail, extra }: ImagePart): JsonObject {
  if (source.kind === "text") return { type: "input_text", text: source.text };
  const type = textOf(extra?.["as"]) ?? "input_image";
  const id = source.kind === "id" ? source.id : undefined;
  return withoutUndefined({ type, file_id: id, image_url: toUrl(source, mediaType), detail });
}

function readInputFile(wire: JsonObject): FilePart | undefined {
  const { file_id: id, file_url: url } = wire;
  if (typeof id === "string" || typeof url !== "string") return readFile(wire);
  const name = textOf(wire["filename"]);
  return { type: "file", source: { kind: "url", url }, ...(name !== undefined && { name }) };
}

function writeFile(part: FilePart): JsonObject {
  const { source, name } = part;
  if (source.kind === "text") return { type: "input_text", text: source.text };
  const id = source.kind === "id" ? source.id : undefined;
  const url = source.kind === "url" ? source.url : undefined;
  const places = { file_id: id, file_url: url, file_data: fileData(part) };
  return withoutUndefined({ type: "input_file", filename: name, ...places });
}

/** Items of built-in tools that the caller runs, and of programs, whose calls the caller runs: by type, the fields that are their arguments. */
const BUILT_IN: ReadonlyMap<JsonValue | undefined, readonly string[]> = new Map([
  ["computer_call", ["action", "actions"]],
  ["local_shell_call", ["action"]],
  ["shell_call", ["action"]],
  ["apply_patch_call", ["operation"]],
  ["tool_search_call", ["arguments"]],
  ["program", ["code"]],
]);

/** Items that the caller must answer. Items of tools that the provider runs become opaque parts. */
export const responseCalls: CallCodec = {
  read: (wire, fallbackId) => withCaller(readOwn(wire, fallbackId), wire),
  write: (call) => {
    const { id, name, arguments: text, kind } = call;
    const as = textOf(call.extra?.["as"]);
    const said = argumentsOf(call);
    if (as === "mcp_approval_request") return { type: as, id, name, arguments: said };
    const fields = as === undefined ? undefined : parseJson(text);
    if (as !== undefined && isJsonObject(fields)) return { type: as, call_id: id, ...fields };
    return kind === "custom"
      ? { type: "custom_tool_call", call_id: id, name, input: said }
      : { type: "function_call", call_id: id, name, arguments: said };
  },
};

/** Returns whether a call's result comes in a later request. The provider itself runs a tool search without a call id. */
export function isResponseCall({ type, call_id: callId }: JsonObject): boolean {
  if (typeof type !== "string") return false;
  if (type === "tool_search_call") return nameOf(callId) !== undefined;
  const named = ["function_call", "custom_tool_call", "mcp_approval_request"];
  return named.includes(type) || BUILT_IN.has(type);
}

function readOwn(wire: JsonObject, fallbackId: string): ToolCall | undefined {
  const { type, call_id: callId, name, arguments: text, input } = wire;
  const id = nameOf(callId) ?? fallbackId;
  switch (type) {
    case "function_call":
      return readNamed(id, name, text);
    case "custom_tool_call":
      return readNamed(id, name, input, { kind: "custom" });
    case "mcp_approval_request":
      return readNamed(nameOf(wire["id"]) ?? fallbackId, name, text, {
        kind: "approval",
        extra: { as: type },
      });
    default:
      return typeof type === "string" ? readBuiltIn(type, wire, id) : undefined;
  }
}

/** Records the caller if a program that the provider runs made the call. */
function withCaller(call: ToolCall | undefined, { caller }: JsonObject): ToolCall | undefined {
  const callerId = isJsonObject(caller) ? nameOf(caller["caller_id"]) : undefined;
  return call === undefined || callerId === undefined ? call : { ...call, callerId };
}

function readNamed(
  id: string,
  wireName: JsonValue | undefined,
  text: JsonValue | undefined,
  fields: Pick<ToolCall, "kind" | "extra"> = {},
): ToolCall {
  const { extra, ...said } = saidCall(wireName, text);
  const marks = { ...extra, ...fields.extra };
  return { id, ...said, ...fields, ...(Object.keys(marks).length > 0 && { extra: marks }) };
}

function readBuiltIn(type: string, wire: JsonObject, id: string): ToolCall | undefined {
  const keys = BUILT_IN.get(type);
  if (keys === undefined) return undefined;
  const fields = Object.entries(wire).filter(([key]) => keys.includes(key));
  const text = JSON.stringify(Object.fromEntries(fields));
  return { id, name: type.replace(/_call$/u, ""), arguments: text, extra: { as: type } };
}

/**
 * Reads a reasoning item: one part for each text of its summary and content; the first has the item's other fields
 * in `extra`. An item that is encrypted, has no text, or has other content than text stays whole in `data`: an encrypted item is
 * longer than its summary, and its whole content counts.
 */
export function readReasoning(item: JsonObject): readonly ReasoningPart[] {
  const whole: ReasoningPart = { type: "reasoning", text: "", data: item, extra: { as: "block" } };
  if (nameOf(item["encrypted_content"]) !== undefined) return [whole];
  const texts = [...textsOf(item["summary"], {}), ...textsOf(item["content"], { as: "content" })];
  const parts = texts.map(({ text, extra }, index): ReasoningPart => {
    const marks = index === 0 ? extra : { ...extra, joins: true };
    return { type: "reasoning", text, ...(Object.keys(marks).length > 0 && { extra: marks }) };
  });
  const [first, ...others] = parts;
  if (first === undefined) return [whole];
  const usual = writeReasoning(parts);
  const difference = wireDifference(usual, item) ?? {};
  const { fields, inner } = difference;
  if (inner !== undefined || !onlyAdds(difference, usual)) return [whole];
  return [{ ...first, ...(fields !== undefined && { data: fields }) }, ...others];
}

interface ReasoningText {
  readonly text: string;
  readonly extra: JsonObject;
}

function textsOf(list: JsonValue | undefined, extra: JsonObject): readonly ReasoningText[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((one: JsonValue) =>
    isJsonObject(one) && typeof one["text"] === "string" ? [{ text: one["text"], extra }] : [],
  );
}

/** Writes a reasoning item. */
export function writeReasoning(parts: readonly ReasoningPart[]): JsonObject {
  const [first] = parts;
  const data = isJsonObject(first?.data) ? first.data : {};
  if (first?.extra?.["as"] === "block") return data;
  const ofContent = (part: ReasoningPart): boolean => part.extra?.["as"] === "content";
  const content = parts.filter(ofContent).map(({ text }) => ({ type: "reasoning_text", text }));
  const summary = parts
    .filter((part) => !ofContent(part))
    .map(({ text }) => ({ type: "summary_text", text }));
  return { type: "reasoning", summary, ...(content.length > 0 && { content }), ...data };
}
