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
  parseJson,
  portableContent,
  textOf,
  toUrl,
  withoutUndefined,
  writeCall,
} from "@agent-history/format-kit";
import type { CallCodec, PartCodec } from "@agent-history/format-kit";

/** `origin.format` of entries read from chat messages. */
export const CHAT_FORMAT = "openai-chat";

/** The parts of a chat message. A refusal is text with a marker in `extra`. */
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

/** The parts of all other messages: a refusal is only in answers. */
export const chatInputParts: PartCodec = {
  ...chatParts,
  read: (wire) => (wire["type"] === "refusal" ? undefined : chatParts.read(wire)),
};

/** Returns content of another format as OpenAI accepts it in a message of this role: images and files only in user messages. */
export function foreignChatContent(content: Content, role: MessageRole): Content {
  return portableContent(
    content,
    (media) => role === "user" && isTakenMedia(media) && chatParts.write(media) !== undefined,
  );
}

const TAKEN_FILES: ReadonlySet<string> = new Set(["application/pdf", "audio/wav", "audio/mpeg"]);

/** Returns whether OpenAI accepts a medium: an image (also by its web address), an uploaded file, a PDF or audio. */
export function isTakenMedia({ type, source, mediaType }: ImagePart | FilePart): boolean {
  if (source.kind === "url") return type === "image" && /^https?:/iu.test(source.url);
  return type === "image" || source.kind === "id" || TAKEN_FILES.has(mediaType ?? "");
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

/** Writes an audio part; `undefined` for any other file, and for audio that was a `file`. */
export function writeAudio({ source, mediaType, extra }: FilePart): JsonObject | undefined {
  const format = [...AUDIO_TYPES].find(([, type]) => type === mediaType)?.[0];
  if (source.kind !== "data" || format === undefined || extra?.["as"] === "file") return undefined;
  return { type: "input_audio", input_audio: { data: source.base64, format } };
}

/** Reads a `file`; `undefined` if it has neither an id nor data. */
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

/** Returns the data of a file in OpenAI's form. */
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

/** The calls in `tool_calls`. A call without a name, or with arguments that are not text, is read too: a result may answer it. */
export const chatCalls: CallCodec = {
  read: (wire, fallbackId) => {
    const id = nameOf(wire["id"]) ?? fallbackId;
    const { function: ofFunction, custom } = wire;
    if (isJsonObject(ofFunction)) {
      return { id, ...saidCall(ofFunction["name"], ofFunction["arguments"]) };
    }
    if (!isJsonObject(custom)) return undefined;
    return { id, ...saidCall(custom["name"], custom["input"]), kind: "custom" };
  },
  write: (call) => {
    const { id, name, kind } = call;
    const said = argumentsOf(call);
    return kind === "custom"
      ? { id, type: "custom", custom: { name, input: said } }
      : { id, type: "function", function: { name, arguments: said } };
  },
};

/** Reads name and arguments of a call; both may be invalid. */
export function saidCall(
  name: JsonValue | undefined,
  given: JsonValue | undefined,
): Pick<ToolCall, "name" | "arguments" | "extra"> {
  const called = nameOf(name) ?? "unknown_tool";
  if (typeof given === "string" || given === undefined) {
    return { name: called, arguments: given ?? "" };
  }
  return { name: called, arguments: JSON.stringify(given), extra: { [VALUE]: true } };
}

/** Marks a call whose arguments were a JSON value instead of text. */
export const VALUE = "value";

/** Returns the arguments of a call in their original form: text, or the value. */
export function argumentsOf({ arguments: text, extra }: ToolCall): JsonValue {
  return (extra?.[VALUE] === true ? parseJson(text) : undefined) ?? text;
}

/** The deprecated `function_call` of a message, which has no id. */
export const functionCalls: CallCodec = {
  read: (wire, id) => {
    const { extra, ...said } = saidCall(wire["name"], wire["arguments"]);
    return { id, ...said, extra: { ...extra, as: "function_call" } };
  },
  write: (call) => ({ name: call.name, arguments: argumentsOf(call) }),
};

/** Writes a call in its original form; a call of another format as one of `tool_calls`. */
export function writeChatCall(call: ToolCall, isOwn: boolean): JsonObject {
  return writeCall(call, isOwn && isFunctionCall(call) ? functionCalls : chatCalls, isOwn);
}

/** Returns whether a call was the deprecated `function_call` of a message. */
export function isFunctionCall({ extra }: ToolCall): boolean {
  return extra?.["as"] === "function_call";
}
