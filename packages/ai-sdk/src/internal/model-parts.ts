import type {
  ContentPart,
  FilePart,
  ImagePart,
  JsonObject,
  JsonValue,
  MediaSource,
  ToolCall,
} from "@agent-history/core";
import {
  isJsonObject,
  nameOf,
  parseJson,
  textOf,
  withoutUndefined,
} from "@agent-history/format-kit";
import type { CallCodec, PartCodec } from "@agent-history/format-kit";

/** The parts of an AI SDK message that are neither calls, results nor approvals. */
export const modelParts: PartCodec = {
  read: (wire) => {
    switch (wire["type"]) {
      case "text":
        return typeof wire["text"] === "string" ? { type: "text", text: wire["text"] } : undefined;
      case "reasoning":
        return readReasoning(wire);
      case "reasoning-file":
        return { type: "reasoning", text: "", data: wire, extra: { as: "block" } };
      case "image":
        return readImage(wire);
      case "file":
        return readFile(wire);
      default:
        return undefined;
    }
  },
  write: (part) => {
    switch (part.type) {
      case "text":
        return { type: "text", text: part.text };
      case "reasoning": {
        const data = isJsonObject(part.data) ? part.data : {};
        return part.extra?.["as"] === "block"
          ? data
          : { type: "reasoning", text: part.text, ...data };
      }
      case "image":
        return part.extra?.["as"] === "image" ? writeImage(part) : writeFile(part, "image");
      case "file":
        return writeFile(part, "application/octet-stream");
      case "opaque":
        return undefined;
    }
  },
};

/** Reads a thought. One whose seal is longer than its text is `data` as it came: it counts what it holds. */
function readReasoning(wire: JsonObject): ContentPart | undefined {
  const { type: _, text, ...data } = wire;
  if (typeof text !== "string") return undefined;
  if (longestText(data) > text.length) {
    return { type: "reasoning", text: "", data: wire, extra: { as: "block" } };
  }
  return { type: "reasoning", text, ...(Object.keys(data).length > 0 && { data }) };
}

function longestText(value: JsonValue): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce<number>((most, one) => Math.max(most, longestText(one)), 0);
}

/** Reads the old image part; since AI SDK 7 an image is a file. */
function readImage(wire: JsonObject): ImagePart | undefined {
  const file = readFileData(wire["image"]);
  const mediaType = textOf(wire["mediaType"]);
  if (file?.extra?.["bare"] !== true) return undefined;
  return {
    type: "image",
    source: file.source,
    ...(mediaType !== undefined && { mediaType }),
    extra: { ...file.extra, as: "image" },
  };
}

function writeImage({ source, mediaType, extra }: ImagePart): JsonObject {
  return withoutUndefined({ type: "image", image: writeFileData(source, extra), mediaType });
}

function readFile(wire: JsonObject): ImagePart | FilePart | undefined {
  const file = readFileData(wire["data"]);
  const mediaType = textOf(wire["mediaType"]);
  const name = textOf(wire["filename"]);
  if (file === undefined || mediaType === undefined) return undefined;
  return /^image(?:\/|$)/u.test(mediaType)
    ? { type: "image", ...file, mediaType }
    : { type: "file", ...file, mediaType, ...(name !== undefined && { name }) };
}

function writeFile(part: ImagePart | FilePart, usualType: string): JsonObject {
  const filename = part.type === "file" ? part.name : undefined;
  const mediaType = part.mediaType ?? usualType;
  return withoutUndefined({
    type: "file",
    data: writeFileData(part.source, part.extra),
    mediaType,
    filename,
  });
}

/** The kinds of file that a tool's output had before AI SDK 7, and the field that says where its bytes are. */
const OLD_KINDS: ReadonlyMap<string, "data" | "url" | "fileId" | "providerReference"> = new Map([
  ["file-data", "data"],
  ["file-url", "url"],
  ["file-id", "fileId"],
  ["file-reference", "providerReference"],
  ["image-data", "data"],
  ["image-url", "url"],
  ["image-file-id", "fileId"],
  ["image-file-reference", "providerReference"],
]);

/** The parts of a tool's output of the kind `content`. */
export const outputParts: PartCodec = {
  read: (wire) => {
    const { type } = wire;
    if (type === "text" || type === "file") return modelParts.read(wire);
    return typeof type === "string" ? readOldFile(type, wire) : undefined;
  },
  write: (part) => {
    if (part.type !== "image" && part.type !== "file") return modelParts.write(part);
    const as = textOf(part.extra?.["as"]) ?? "";
    const key = OLD_KINDS.get(as);
    return key === undefined ? modelParts.write(part) : writeOldFile(part, as, key);
  },
};

function readOldFile(type: string, wire: JsonObject): ImagePart | FilePart | undefined {
  const file = readOldData(type, wire);
  const mediaType = textOf(wire["mediaType"]);
  const name = textOf(wire["filename"]);
  if (file === undefined) return undefined;
  const media = {
    source: file.source,
    ...(mediaType !== undefined && { mediaType }),
    extra: { ...file.extra, as: type },
  };
  return type.startsWith("image")
    ? { type: "image", ...media }
    : { type: "file", ...media, ...(name !== undefined && { name }) };
}

function readOldData(type: string, wire: JsonObject): ReadFile | undefined {
  const key = OLD_KINDS.get(type);
  const payload = key === undefined ? undefined : wire[key];
  if (typeof payload !== "string") {
    const isReference = key === "fileId" || key === "providerReference";
    return isReference && isJsonObject(payload) ? readReference(payload) : undefined;
  }
  if (key === "data") return { source: { kind: "data", base64: payload } };
  if (key === "url") return { source: { kind: "url", url: payload } };
  return key === "fileId" ? { source: { kind: "id", id: payload } } : undefined;
}

function writeOldFile(part: ImagePart | FilePart, type: string, key: string): JsonObject {
  const { source, mediaType, extra } = part;
  const filename = part.type === "file" ? part.name : undefined;
  const provider = textOf(extra?.["provider"]);
  const id = source.kind === "id" ? source.id : undefined;
  const bytes = source.kind === "data" ? source.base64 : undefined;
  const url = source.kind === "url" ? source.url : undefined;
  const payload = id !== undefined && provider !== undefined ? { [provider]: id } : id;
  return withoutUndefined({ type, [key]: payload ?? bytes ?? url, mediaType, filename });
}

/** Where a file's bytes are, and the form in which the AI SDK was told: for `extra`. */
interface ReadFile {
  readonly source: MediaSource;
  readonly extra?: JsonObject;
}

/**
 * Reads the data of a file: tagged, or bare. What is no JSON comes packed (see `packBinary`).
 *
 * Marks in `extra`: `bare` not tagged · `value` what the bytes or the URL were, where not base64 or a `URL` · `provider`
 * whose id it is.
 */
function readFileData(data: JsonValue | undefined): ReadFile | undefined {
  if (!isJsonObject(data) || typeof data["type"] !== "string") {
    const file = readPayload(data);
    return file && { ...file, extra: { ...file.extra, bare: true } };
  }
  const { type, text } = data;
  if (type === "text") {
    return typeof text === "string" ? { source: { kind: "text", text } } : undefined;
  }
  const payload = data[type];
  if (type === "url" && typeof payload === "string") {
    return { source: { kind: "url", url: payload }, extra: { value: "text" } };
  }
  if (type === "data" && typeof payload === "string") {
    return { source: { kind: "data", base64: payload } };
  }
  const file = readPayload(payload);
  const kind = type === "reference" ? "id" : type;
  return file?.source.kind === kind ? file : undefined;
}

/** Writes the data of a file. */
function writeFileData(source: MediaSource, extra: JsonObject = {}): JsonValue {
  const payload = writePayload(source, extra);
  if (extra["bare"] === true) return payload;
  switch (source.kind) {
    case "id":
      return { type: "reference", reference: payload };
    case "data":
    case "url":
    case "text":
      return { type: source.kind, [source.kind]: payload };
  }
}

function readPayload(payload: JsonValue | undefined): ReadFile | undefined {
  if (typeof payload === "string") {
    return /^(?:https?|data):/u.test(payload)
      ? { source: { kind: "url", url: payload }, extra: { value: "text" } }
      : { source: { kind: "data", base64: payload } };
  }
  if (!isJsonObject(payload)) return undefined;
  const { $url: url, $bytes: bytes, $buffer: buffer } = payload;
  if (typeof url === "string") return { source: { kind: "url", url } };
  if (typeof bytes === "string") {
    return { source: { kind: "data", base64: bytes }, extra: { value: "bytes" } };
  }
  if (typeof buffer === "string") {
    return { source: { kind: "data", base64: buffer }, extra: { value: "buffer" } };
  }
  return readReference(payload);
}

/** Reads a file's id at its provider; one that several providers know by different ids has none. */
function readReference(reference: JsonObject): ReadFile | undefined {
  const [entry, ...others] = Object.entries(reference);
  const id = textOf(entry?.[1]);
  if (entry === undefined || id === undefined || others.length > 0) return undefined;
  return { source: { kind: "id", id }, extra: { provider: entry[0] } };
}

function writePayload(source: MediaSource, extra: JsonObject): JsonValue {
  switch (source.kind) {
    case "url":
      return extra["value"] === "text" ? source.url : { $url: source.url };
    case "data":
      return writeBytes(source.base64, extra["value"]);
    case "text":
      return source.text;
    case "id":
      return withoutUndefined({ [textOf(extra["provider"]) ?? "unknown"]: source.id });
  }
}

function writeBytes(base64: string, value: JsonValue | undefined): JsonValue {
  if (value === "bytes") return { $bytes: base64 };
  return value === "buffer" ? { $buffer: base64 } : base64;
}

/** Marks a call whose input came as a value that is not an object. */
const VALUE = "value";

/** The tool calls of an AI SDK message that are answered in a later one. */
export const modelCalls: CallCodec = {
  read: ({ type, toolCallId, toolName, input, providerOptions }, fallbackId) => {
    const id = nameOf(toolCallId) ?? fallbackId;
    const name = nameOf(toolName);
    if (type !== "tool-call" || name === undefined) return undefined;
    const callerId = callerOf(providerOptions);
    const named = { id, name, ...(callerId !== undefined && { callerId }) };
    if (input === undefined) return { ...named, arguments: "" };
    const call = { ...named, arguments: JSON.stringify(input) };
    return isJsonObject(input) ? call : { ...call, extra: { as: VALUE } };
  },
  write: ({ id, name, arguments: text, extra }) => {
    const usual = { type: "tool-call", toolCallId: id, toolName: name };
    // The AI SDK itself keeps an input that is no JSON as its text; of a number, parsing might lose digits.
    const input = parseJson(text);
    if (isJsonObject(input) || (extra?.["as"] === VALUE && input !== undefined)) {
      return { ...usual, input };
    }
    return text === "" ? usual : { ...usual, input: text };
  },
};

/** Tells a call that the provider runs. */
export function isProviderCall(call: ToolCall | undefined): boolean {
  const fields = call?.extra?.["fields"];
  return isJsonObject(fields) && fields["providerExecuted"] === true;
}

/** Which call made a call, where a program did that Anthropic runs. */
function callerOf(providerOptions: JsonValue | undefined): string | undefined {
  const options = isJsonObject(providerOptions) ? providerOptions["anthropic"] : undefined;
  const caller = isJsonObject(options) ? options["caller"] : undefined;
  return isJsonObject(caller) ? nameOf(caller["toolId"]) : undefined;
}

/** The requests to approve a call. Which call it is about stays in `extra`. */
export const approvalRequests: CallCodec = {
  read: ({ type, approvalId }) => {
    const id = nameOf(approvalId);
    if (type !== "tool-approval-request" || id === undefined) return undefined;
    return { id, name: "unknown_tool", arguments: "", kind: "approval", extra: { as: type } };
  },
  write: ({ id }) => ({ type: "tool-approval-request", approvalId: id }),
};
