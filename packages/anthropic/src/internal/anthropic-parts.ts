import type {
  Content,
  ContentPart,
  FilePart,
  ImagePart,
  JsonObject,
  JsonValue,
  ObservationEntry,
  MessageRole,
  ToolCall,
} from "@agent-history/core";
import {
  argumentsOf,
  isJsonObject,
  nameOf,
  objectOf,
  portableContent,
  textOf,
  withoutUndefined,
  writeContent,
} from "@agent-history/format-kit";
import type { CallCodec, PartCodec } from "@agent-history/format-kit";

/** The content blocks of an Anthropic message that are neither calls nor results. */
export const anthropicParts: PartCodec = {
  read: (wire) => {
    switch (wire["type"]) {
      case "text":
        return typeof wire["text"] === "string" ? { type: "text", text: wire["text"] } : undefined;
      case "thinking":
        return readThinking(wire);
      case "redacted_thinking":
        return { type: "reasoning", text: "", data: wire, extra: { as: "block" } };
      case "image":
        return readImage(wire);
      case "document":
        return readDocument(wire);
      default:
        return undefined;
    }
  },
  write: (part) => {
    switch (part.type) {
      case "text":
        return { type: "text", text: part.text };
      case "reasoning": {
        const data = objectOf(part.data);
        if (part.extra?.["as"] === "block") return data;
        return { type: "thinking", thinking: part.text, ...data };
      }
      case "image":
        return writeImage(part);
      case "file":
        return writeDocument(part);
      case "opaque":
        return undefined;
    }
  },
};

function readThinking(wire: JsonObject): ContentPart | undefined {
  const { type: _, thinking, ...data } = wire;
  if (typeof thinking !== "string") return undefined;
  return { type: "reasoning", text: thinking, ...(Object.keys(data).length > 0 && { data }) };
}

type Media = Pick<FilePart, "source" | "mediaType">;

function readSource(source: JsonObject): Media | undefined {
  const { type, media_type: mediaType, data, url, file_id: id } = source;
  const typed = typeof mediaType === "string" ? { mediaType } : {};
  if (type === "base64" && typeof data === "string") {
    return { source: { kind: "data", base64: data }, ...typed };
  }
  if (type === "text" && typeof data === "string") {
    return { source: { kind: "text", text: data }, ...typed };
  }
  if (type === "url" && typeof url === "string") return { source: { kind: "url", url } };
  return type === "file" && typeof id === "string" ? { source: { kind: "id", id } } : undefined;
}

function writeSource({ source, mediaType }: Media, usualType: string): JsonObject {
  switch (source.kind) {
    case "data":
      return { type: "base64", media_type: mediaType ?? usualType, data: source.base64 };
    case "text":
      return { type: "text", media_type: mediaType ?? "text/plain", data: source.text };
    case "url":
      return { type: "url", url: source.url };
    case "id":
      return { type: "file", file_id: source.id };
  }
}

function readImage(wire: JsonObject): ImagePart | undefined {
  const media = isJsonObject(wire["source"]) ? readSource(wire["source"]) : undefined;
  return media && { type: "image", ...media };
}

function writeImage(part: ImagePart): JsonObject {
  return { type: "image", source: writeSource(part, "image/png") };
}

function readDocument(wire: JsonObject): FilePart | undefined {
  const media = isJsonObject(wire["source"]) ? readSource(wire["source"]) : undefined;
  const name = textOf(wire["title"]);
  return media && { type: "file", ...media, ...(name !== undefined && { name }) };
}

function writeDocument(part: FilePart): JsonObject {
  const source = writeSource(part, "application/pdf");
  return withoutUndefined({ type: "document", source, title: part.name });
}

const IMAGES: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

/** Returns content of another format as Anthropic accepts it from this role: images and documents only from users and tools. */
export function foreignContent(content: Content, role: MessageRole): Content {
  const mayShow = role === "user" || role === "tool";
  return portableContent(content, (media) => mayShow && isTaken(media));
}

/** Returns whether the API accepts an image or document that was read from an Anthropic message. */
export function isOwnMedia(part: ImagePart | FilePart): boolean {
  const isText = part.type === "file" && (part.mediaType ?? "text/plain") === "text/plain";
  return part.source.kind === "id" || (part.source.kind === "text" && isText) || isTaken(part);
}

/** Ids refer to another provider's file store, which Anthropic cannot read. */
function isTaken({ type, source, mediaType }: ImagePart | FilePart): boolean {
  if (source.kind === "url") return true;
  if (source.kind !== "data") return false;
  return type === "image"
    ? IMAGES.has(mediaType ?? "image/png")
    : (mediaType ?? "application/pdf") === "application/pdf";
}

/** Call types of server tools, and of MCP servers that Anthropic calls. */
const OF_SERVERS: ReadonlySet<JsonValue | undefined> = new Set(["server_tool_use", "mcp_tool_use"]);

/** Calls that are answered in a later message: by the caller, or by a server tool that had not finished. */
export const anthropicCalls: CallCodec = {
  read: ({ type, id: wireId, name: wireName, input, caller }, fallbackId) => {
    const name = nameOf(wireName);
    if (type !== "tool_use" && !OF_SERVERS.has(type)) return undefined;
    if (name === undefined || input === undefined) return undefined;
    const callerId = callerOf(caller);
    const call = { id: nameOf(wireId) ?? fallbackId, name, arguments: JSON.stringify(input) };
    return callerId === undefined ? call : { ...call, callerId };
  },
  write: ({ id, name, arguments: text }) => ({
    type: "tool_use",
    id,
    name,
    input: argumentsOf(text),
  }),
};

/** Returns whether a block calls a tool that the provider runs. */
export function isServerBlock({ type }: JsonObject): boolean {
  return OF_SERVERS.has(type);
}

/** Returns whether the provider runs a call. */
export function isServerCall({ extra }: ToolCall): boolean {
  return isServerBlock(objectOf(extra?.["fields"]));
}

/** Returns the id of the server tool that made a call: `code_execution` programs call the caller's tools. */
function callerOf(caller: JsonValue | undefined): string | undefined {
  return isJsonObject(caller) ? nameOf(caller["tool_id"]) : undefined;
}

/** Returns the `tool_result` block of a result. */
export function resultBlock(
  { callId, outcome, content }: Pick<ObservationEntry, "callId" | "outcome" | "content">,
  isOwn: boolean,
): JsonObject {
  return {
    type: "tool_result",
    tool_use_id: callId,
    content: writeContent(content, anthropicParts, isOwn),
    ...(outcome !== "success" && { is_error: true }),
  };
}
