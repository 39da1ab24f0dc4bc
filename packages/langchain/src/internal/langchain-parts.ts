import { sameJson } from "@agent-history/core";
import type {
  Content,
  ContentPart,
  FilePart,
  ImagePart,
  JsonObject,
  JsonValue,
  MediaSource,
  MessageRole,
  ToolCall,
} from "@agent-history/core";
import {
  fromUrl,
  isJsonObject,
  mergeJson,
  nameOf,
  parseJson,
  portableContent,
  textOf,
  toUrl,
  wireDifference,
  withoutUndefined,
} from "@agent-history/format-kit";
import type { CallCodec, PartCodec } from "@agent-history/format-kit";

/** The field of providers' own data in a model's message. */
export const KWARGS = "additional_kwargs";

/** The blocks of a message: those of LangChain, and those of providers that stand in its messages. */
export const langChainParts: PartCodec = {
  read: (wire) => {
    switch (wire["type"]) {
      case "text":
        return readText(wire);
      case "reasoning":
        return readReasoning(wire, "reasoning");
      case "thinking":
        return readReasoning(wire, "thinking");
      default:
        return readMedia(wire);
    }
  },
  write: (part) => {
    switch (part.type) {
      case "text":
        return { type: "text", text: part.text };
      case "reasoning":
        return writeReasoning(part);
      case "image":
      case "file":
        return writeMedia(part);
      case "opaque":
        return undefined;
    }
  },
};

function readText({ text }: JsonObject): ContentPart | undefined {
  return typeof text === "string" ? { type: "text", text } : undefined;
}

/** The text stands in a field that is called as the block is; a signature counts, too. */
function readReasoning(wire: JsonObject, field: "reasoning" | "thinking"): ContentPart | undefined {
  const { type: _, [field]: text, ...data } = wire;
  if (typeof text !== "string") return undefined;
  const beside = Object.keys(data).length > 0 ? { data } : {};
  return { type: "reasoning", text, ...beside, extra: { as: field } };
}

function writeReasoning(part: ContentPart & { type: "reasoning" }): JsonObject {
  const as = textOf(part.extra?.["as"]) ?? "reasoning";
  const data = isJsonObject(part.data) ? part.data : {};
  return { type: as, [as]: part.text, ...data };
}

const DETAILS = ["low", "high", "auto", "original"] as const;
const FILES = ["file", "audio", "video"];

/** Reads an image or a file: `image_url`, Anthropic's `source`, and LangChain's own blocks, older (`source_type`) and newer ones. */
function readMedia(wire: JsonObject): ImagePart | FilePart | undefined {
  const { type } = wire;
  if (type === "image_url") return readImageUrl(wire);
  const isImage = type === "image";
  if (!isImage && !FILES.some((one) => one === type)) return undefined;
  const read = readAnthropic(wire["source"]) ?? readBlock(wire, OLDER) ?? readBlock(wire, NEWER);
  if (read === undefined) return undefined;
  const { as, ...media } = read;
  if (isImage) return { type: "image", ...media, extra: { as } };
  const kind = textOf(type) ?? "file";
  return { type: "file", ...media, extra: { as, ...(kind !== "file" && { kind }) } };
}

/** Writes an image or a file; `undefined` where LangChain has no block for it. */
function writeMedia(part: ImagePart | FilePart): JsonObject | undefined {
  const { source, mediaType, extra } = part;
  // Audio of another format is no file: LangChain sends it otherwise.
  const usual = extra === undefined && mediaType?.startsWith("audio/") ? "audio" : part.type;
  const type = textOf(extra?.["kind"]) ?? usual;
  switch (extra?.["as"]) {
    case "anthropic":
      return writeAnthropic(type, source, mediaType);
    case "newer":
      return writeBlock({ type }, part, NEWER);
    case "older":
      return writeBlock({ type }, part, OLDER);
    default:
      return part.type === "image" ? writeImageUrl(part) : writeBlock({ type }, part, OLDER);
  }
}

function readImageUrl({ image_url: image }: JsonObject): ImagePart | undefined {
  const isBare = typeof image === "string";
  const bare = isBare ? image : undefined;
  const url = isJsonObject(image) ? textOf(image["url"]) : bare;
  if (url === undefined) return undefined;
  const detail = isJsonObject(image) ? DETAILS.find((one) => one === image["detail"]) : undefined;
  const said = { ...fromUrl(url), ...(detail !== undefined && { detail }) };
  return { type: "image", ...said, ...(isBare && { extra: { bare: true } }) };
}

function writeImageUrl({ source, mediaType, detail, extra }: ImagePart): JsonObject | undefined {
  const url = toUrl(source, mediaType ?? "image/png");
  if (url === undefined) return undefined;
  const image = extra?.["bare"] === true ? url : withoutUndefined({ url, detail });
  return { type: "image_url", image_url: image };
}

interface ReadMedia {
  readonly source: MediaSource;
  readonly mediaType?: string;
  readonly as: string;
}

function readAnthropic(source: JsonObject[string] | undefined): ReadMedia | undefined {
  if (!isJsonObject(source)) return undefined;
  const url = textOf(source["url"]);
  if (source["type"] === "url" && url !== undefined) {
    return { source: { kind: "url", url }, as: "anthropic" };
  }
  const base64 = textOf(source["data"]);
  const mediaType = textOf(source["media_type"]);
  const isData = source["type"] === "base64" && base64 !== undefined && mediaType !== undefined;
  return isData ? { source: { kind: "data", base64 }, mediaType, as: "anthropic" } : undefined;
}

function writeAnthropic(
  type: string,
  source: MediaSource,
  mediaType: string | undefined,
): JsonObject | undefined {
  if (source.kind === "url") return { type, source: { type: "url", url: source.url } };
  if (source.kind !== "data" || mediaType === undefined) return undefined;
  return { type, source: { type: "base64", media_type: mediaType, data: source.base64 } };
}

/** How a block calls what it holds. */
interface BlockFields {
  readonly as: string;
  readonly hasSourceType: boolean;
  readonly data: string;
  readonly url: string;
  readonly id: string;
  readonly mediaType: string;
}

const OLDER: BlockFields = {
  as: "older",
  hasSourceType: true,
  data: "data",
  url: "url",
  id: "id",
  mediaType: "mime_type",
};

const NEWER: BlockFields = {
  as: "newer",
  hasSourceType: false,
  data: "data",
  url: "url",
  id: "fileId",
  mediaType: "mimeType",
};

function readBlock(wire: JsonObject, fields: BlockFields): ReadMedia | undefined {
  const { source_type: kind } = wire;
  if (fields.hasSourceType !== (typeof kind === "string")) return undefined;
  const has = (key: string, as: string): string | undefined =>
    fields.hasSourceType && kind !== as ? undefined : textOf(wire[key]);
  const source = sourceOf({
    base64: has(fields.data, "base64"),
    url: has(fields.url, "url"),
    id: has(fields.id, "id"),
  });
  const mediaType = textOf(wire[fields.mediaType]);
  if (source === undefined) return undefined;
  return { source, ...(mediaType !== undefined && { mediaType }), as: fields.as };
}

function sourceOf({
  base64,
  url,
  id,
}: {
  readonly [Kind in "base64" | "url" | "id"]: string | undefined;
}): MediaSource | undefined {
  if (base64 !== undefined) return { kind: "data", base64 };
  if (url !== undefined) return { kind: "url", url };
  return id === undefined ? undefined : { kind: "id", id };
}

function writeBlock(
  block: JsonObject,
  { source, mediaType }: ImagePart | FilePart,
  fields: BlockFields,
): JsonObject | undefined {
  if (source.kind === "text") return undefined;
  const [kind, key, said] = saidBy(source, fields);
  return withoutUndefined({
    ...block,
    source_type: fields.hasSourceType ? kind : undefined,
    [key]: said,
    [fields.mediaType]: mediaType,
  });
}

function saidBy(
  source: Exclude<MediaSource, { readonly kind: "text" }>,
  fields: BlockFields,
): readonly [kind: string, key: string, said: string] {
  switch (source.kind) {
    case "data":
      return ["base64", fields.data, source.base64];
    case "url":
      return ["url", fields.url, source.url];
    case "id":
      return ["id", fields.id, source.id];
  }
}

/** The calls in `tool_calls`. */
export const langChainCalls: CallCodec = {
  read: ({ id, name, args }, fallbackId) => {
    const called = nameOf(name);
    if (called === undefined || !isJsonObject(args)) return undefined;
    return { id: nameOf(id) ?? fallbackId, name: called, arguments: JSON.stringify(args) };
  },
  write: ({ id, name, arguments: text }) => ({ name, args: argsOf(text), id, type: "tool_call" }),
};

/** The calls in `invalid_tool_calls`, whose arguments LangChain could not parse: a result may answer them all the same. */
export const invalidCalls: CallCodec = {
  read: ({ id, name, args }, fallbackId) => ({
    id: nameOf(id) ?? fallbackId,
    name: nameOf(name) ?? "unknown_tool",
    arguments: typeof args === "string" ? args : JSON.stringify(args ?? ""),
    extra: { as: INVALID },
  }),
  write: ({ id, name, arguments: text }) => ({ name, args: text, id, type: INVALID }),
};

const INVALID = "invalid_tool_call";

/** Tells a call whose arguments LangChain could not parse. */
export function isInvalid({ extra }: ToolCall): boolean {
  return extra?.["as"] === INVALID;
}

/** Arguments are an object for LangChain; text that is none stands in `input`, as that of custom tools does. */
function argsOf(text: string): JsonObject {
  const args = parseJson(text);
  if (isJsonObject(args)) return args;
  return text.trim() === "" ? {} : { input: text };
}

/** How providers write a call once more in its message. */
const CALL_COPIES = ["tool_use", "tool_call", "function"] as const;

type CopyKind = (typeof CALL_COPIES)[number];

/** Returns what a copy of a call has beside the call, if it says what the call says: for the call's `extra`. */
export function readCopy(call: ToolCall, copy: JsonValue): JsonObject | undefined {
  const kind = isJsonObject(copy) ? CALL_COPIES.find((one) => one === copy["type"]) : undefined;
  if (!isJsonObject(copy) || kind === undefined || !isCopyOf(call, copy, kind)) return undefined;
  const difference = wireDifference(copyOf(call, kind), copy);
  return { as: kind, ...difference };
}

/** Writes a copy of a call, with what the call says now. */
export function writeCopy(call: ToolCall, told: JsonObject): JsonObject {
  const kind = CALL_COPIES.find((one) => one === told["as"]) ?? "tool_call";
  return mergeJson(copyOf(call, kind), told);
}

function copyOf(call: ToolCall, kind: CopyKind): JsonObject {
  const { id, name, arguments: text } = call;
  if (kind === "tool_use") return { type: kind, id, name, input: argsOf(text) };
  if (kind === "tool_call") return { type: kind, id, name, args: argsOf(text) };
  return { id, type: kind, function: { name, arguments: text } };
}

function isCopyOf(call: ToolCall, copy: JsonObject, kind: CopyKind): boolean {
  const { [kind]: inner } = copy;
  const said = kind === "function" && isJsonObject(inner) ? inner : copy;
  const isNamed = copy["id"] === call.id && said["name"] === call.name;
  if (kind === "function" && said["arguments"] === call.arguments) return isNamed;
  const args = kind === "function" ? parseJson(textOf(said["arguments"]) ?? "") : undefined;
  const given = args ?? copy["input"] ?? copy["args"];
  return isNamed && given !== undefined && sameJson(given, argsOf(call.arguments));
}

/** Returns the call with its arguments word for word as the provider wrote them, where a copy has them and they say the same. */
export function asWritten(call: ToolCall, copy: JsonValue): ToolCall {
  const inner = isJsonObject(copy) ? copy["function"] : undefined;
  const text = isJsonObject(inner) ? textOf(inner["arguments"]) : undefined;
  // A person who edits a call edits the message, not the provider's copy.
  const isSame = text !== undefined && readCopy(call, copy) !== undefined;
  return isSame ? { ...call, arguments: text } : call;
}

/** Returns a content of another format as all of LangChain's models take it: images and files in a user's message only. */
export function foreignContent(content: Content, role: MessageRole): Content {
  return portableContent(
    content,
    (media) => role === "user" && langChainParts.write(media) !== undefined,
  );
}
