import type {
  Content,
  ContentPart,
  FilePart,
  ImagePart,
  JsonObject,
  JsonValue,
  MessageRole,
  ToolCall,
} from "@agent-history/core";
import {
  fromUrl,
  isJsonObject,
  nameOf,
  portableContent,
  textOf,
  toUrl,
  withoutUndefined,
  writeCall,
} from "@agent-history/format-kit";
import type { CallCodec, PartCodec } from "@agent-history/format-kit";

/** The parts of a chat message. A refusal is text that is written under another name. */
export const chatParts: PartCodec = {
  read: (wire) => {
    switch (wire["type"]) {
      case "text":
        return readText(wire["text"]);
      case "refusal":
        return readText(wire["refusal"], { as: "refusal" });
      case "image_url":
        return readImage(wire["image_url"]);
      case "input_audio":
        return readAudio(wire["input_audio"]);
      case "file":
        return readFile(wire["file"]);
      default:
        return undefined;
    }
  },
  write: (part) => {
    switch (part.type) {
      case "text":
        return part.extra?.["as"] === "refusal"
          ? { type: "refusal", refusal: part.text }
          : { type: "text", text: part.text };
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

/** Returns a content of another format as OpenAI takes it in a message of this role: images and files in a user's only. */
export function foreignChatContent(content: Content, role: MessageRole): Content {
  return portableContent(
    content,
    (media) => role === "user" && chatParts.write(media) !== undefined,
  );
}

function readText(text: JsonValue | undefined, extra?: JsonObject): ContentPart | undefined {
  if (typeof text !== "string") return undefined;
  return { type: "text", text, ...(extra !== undefined && { extra }) };
}

const DETAILS = ["low", "high", "auto", "original"] as const;

/** Reads the detail of an image. */
export function readDetail(detail: JsonValue | undefined): Pick<ImagePart, "detail"> {
  const known = DETAILS.find((one) => one === detail);
  return known === undefined ? {} : { detail: known };
}

function readImage(image: JsonValue | undefined): ImagePart | undefined {
  if (!isJsonObject(image) || typeof image["url"] !== "string") return undefined;
  return { type: "image", ...fromUrl(image["url"]), ...readDetail(image["detail"]) };
}

function writeImage({ source, mediaType, detail }: ImagePart): JsonObject | undefined {
  if (source.kind === "id") return { type: "file", file: { file_id: source.id } };
  const url = toUrl(source, mediaType ?? "image/png");
  if (url === undefined) return undefined;
  return { type: "image_url", image_url: withoutUndefined({ url, detail }) };
}

const AUDIO_TYPES: ReadonlyMap<string, string> = new Map([
  ["wav", "audio/wav"],
  ["mp3", "audio/mpeg"],
]);

/** Reads an `input_audio` as a file. */
export function readAudio(audio: JsonValue | undefined): FilePart | undefined {
  if (!isJsonObject(audio)) return undefined;
  const base64 = textOf(audio["data"]);
  const mediaType = AUDIO_TYPES.get(textOf(audio["format"]) ?? "");
  if (base64 === undefined || mediaType === undefined) return undefined;
  return { type: "file", source: { kind: "data", base64 }, mediaType };
}

/** Writes an audio part; `undefined` for any other file, and for audio that came as a file. */
export function writeAudio({ source, mediaType, extra }: FilePart): JsonObject | undefined {
  const format = [...AUDIO_TYPES].find(([, type]) => type === mediaType)?.[0];
  if (source.kind !== "data" || format === undefined || extra?.["as"] === "file") return undefined;
  return { type: "input_audio", input_audio: { data: source.base64, format } };
}

/** Reads a `file`; `undefined` without an id and without bytes. */
export function readFile(file: JsonValue | undefined): FilePart | undefined {
  if (!isJsonObject(file)) return undefined;
  const name = textOf(file["filename"]);
  const id = textOf(file["file_id"]);
  const data = textOf(file["file_data"]);
  const named = name === undefined ? {} : { name };
  if (id !== undefined) return { type: "file", source: { kind: "id", id }, ...named };
  if (data === undefined) return undefined;
  const { source, mediaType } = fromUrl(data);
  if (mediaType === undefined) {
    return { type: "file", source: { kind: "data", base64: data }, ...named };
  }
  // Audio may also come as a plain file.
  const isAudio = [...AUDIO_TYPES.values()].includes(mediaType);
  return { type: "file", source, mediaType, ...named, ...(isAudio && { extra: { as: "file" } }) };
}

/** Returns the bytes of a file as OpenAI takes them. */
export function fileData({ source, mediaType }: FilePart): string | undefined {
  if (source.kind !== "data") return undefined;
  return mediaType === undefined ? source.base64 : toUrl(source, mediaType);
}

function writeFile(part: FilePart): JsonObject | undefined {
  const { source, name } = part;
  if (source.kind !== "id" && source.kind !== "data") return undefined;
  const id = source.kind === "id" ? source.id : undefined;
  const file = { file_id: id, file_data: fileData(part), filename: name };
  return { type: "file", file: withoutUndefined(file) };
}

/** The calls in `tool_calls`. */
export const chatCalls: CallCodec = {
  read: (wire, fallbackId) => {
    const id = nameOf(wire["id"]) ?? fallbackId;
    const { function: ofFunction, custom } = wire;
    if (isJsonObject(ofFunction)) {
      const name = nameOf(ofFunction["name"]);
      const text = textOf(ofFunction["arguments"]);
      return name === undefined || text === undefined ? undefined : { id, name, arguments: text };
    }
    if (!isJsonObject(custom)) return undefined;
    const name = nameOf(custom["name"]);
    const text = textOf(custom["input"]);
    if (name === undefined || text === undefined) return undefined;
    return { id, name, arguments: text, kind: "custom" };
  },
  write: ({ id, name, arguments: text, kind }) =>
    kind === "custom"
      ? { id, type: "custom", custom: { name, input: text } }
      : { id, type: "function", function: { name, arguments: text } },
};

/** The `function_call` of an old message, which has no id. */
export const functionCalls: CallCodec = {
  read: (wire, id) => {
    const name = nameOf(wire["name"]);
    const text = textOf(wire["arguments"]);
    if (name === undefined || text === undefined) return undefined;
    return { id, name, arguments: text, extra: { as: "function_call" } };
  },
  write: ({ name, arguments: text }) => ({ name, arguments: text }),
};

/** Writes a call as it came; one of another format as one of `tool_calls`. */
export function writeChatCall(call: ToolCall, isOwn: boolean): JsonObject {
  return writeCall(call, isOwn && isFunctionCall(call) ? functionCalls : chatCalls, isOwn);
}

/** Returns whether a call came as the `function_call` of an old message. */
export function isFunctionCall({ extra }: ToolCall): boolean {
  return extra?.["as"] === "function_call";
}
