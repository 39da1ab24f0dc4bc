import type {
  Content,
  FilePart,
  ImagePart,
  JsonObject,
  MessageRole,
  ObservationEntry,
} from "@agent-history/core";
import {
  argumentsOf,
  isJsonObject,
  nameOf,
  parseJson,
  portableContent,
  readContent,
  textOf,
  withoutUndefined,
  writeParts,
} from "@agent-history/format-kit";
import type { CallCodec, PartCodec } from "@agent-history/format-kit";

/** Stands in `origin.format` of what came as steps of the Interactions API. */
export const STEP_FORMAT = "google-interactions";

/** The contents of inputs, outputs and results. */
export const stepParts: PartCodec = {
  read: (wire) => {
    const { type, text, data, uri } = wire;
    if (type === "text") return typeof text === "string" ? { type: "text", text } : undefined;
    const mediaType = textOf(wire["mime_type"]);
    const typed = mediaType === undefined ? {} : { mediaType };
    const source = sourceOf(textOf(data), textOf(uri));
    if (source === undefined) return undefined;
    if (type === "image") return { type, source, ...typed };
    const name = type === "video" ? textOf(wire["name"]) : undefined;
    const part: FilePart = { type: "file", source, ...typed, ...(name !== undefined && { name }) };
    return kindOf(part) === type ? part : { ...part, extra: { as: type ?? "document" } };
  },
  write: (part) => {
    switch (part.type) {
      case "text":
        return { type: "text", text: part.text };
      case "image":
      case "file":
        return writeMedia(part);
      case "reasoning":
      case "opaque":
        return undefined;
    }
  },
};

function sourceOf(
  base64: string | undefined,
  url: string | undefined,
): FilePart["source"] | undefined {
  if (base64 !== undefined) return { kind: "data", base64 };
  return url === undefined ? undefined : { kind: "url", url };
}

function writeMedia(part: ImagePart | FilePart): JsonObject | undefined {
  const { source, mediaType } = part;
  if (source.kind === "text") return { type: "text", text: source.text };
  if (source.kind === "id") return undefined;
  const type = part.type === "image" ? part.type : (textOf(part.extra?.["as"]) ?? kindOf(part));
  const name = part.type === "file" && type === "video" ? part.name : undefined;
  const place = source.kind === "data" ? { data: source.base64 } : { uri: source.url };
  return withoutUndefined({ type, ...place, mime_type: mediaType, name });
}

function kindOf({ mediaType = "" }: FilePart): "audio" | "video" | "document" {
  if (mediaType.startsWith("audio/")) return "audio";
  return mediaType.startsWith("video/") ? "video" : "document";
}

/** Returns a content of another format as steps take it: files from users, images from tools too. */
export function foreignStepContent(content: Content, role: MessageRole): Content {
  return portableContent(content, ({ type, source }) => {
    if (source.kind === "id" || role === "assistant") return false;
    return role !== "tool" || type === "image";
  });
}

/** The calls that the caller runs. */
export const stepCalls: CallCodec = {
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
export function resultStep(
  {
    callId,
    toolName,
    outcome,
    content,
  }: Pick<ObservationEntry, "callId" | "toolName" | "outcome" | "content">,
  { isOwn, isJson }: { readonly isOwn: boolean; readonly isJson: boolean },
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

/** Reads what a result says, and whether that is JSON. */
export function readStepResult({ result, is_error: isError }: JsonObject): {
  readonly content: Content;
  readonly outcome: ObservationEntry["outcome"];
  readonly isJson: boolean;
} {
  const isJson = isJsonObject(result);
  const content = isJson ? JSON.stringify(result) : readContent(result, stepParts);
  return { content, outcome: isError === true ? "error" : "success", isJson };
}
