import { sameJson } from "@agent-history/core";
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
  mergeJson,
  nameOf,
  parseJson,
  payloadOf,
  portableContent,
  sourceOf,
  textOf,
  toUrl,
  wireDifference,
  withoutUndefined,
} from "@agent-history/format-kit";
import type { CallCodec, PartCodec } from "@agent-history/format-kit";

/** The field for provider-specific data in a model's message. */
export const KWARGS = "additional_kwargs";

/** The blocks of a message: LangChain's own, and providers' blocks that occur in its messages. */
export const langChainParts: PartCodec = {
  read: (wire) => {
    switch (wire["type"]) {
      case "text":
        return typeof wire["text"] === "string" ? { type: "text", text: wire["text"] } : undefined;
      case "reasoning":
      case "thinking":
        return readReasoning(wire, wire["type"]);
      case "redacted_thinking": {
        const { type: as, ...data } = wire;
        return { type: "reasoning", text: "", data, extra: { as } };
      }
      case "image_url":
        return readImageUrl(wire);
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

/** The text is in the field named like the block. A signature counts, too. */
function readReasoning(wire: JsonObject, field: "reasoning" | "thinking"): ContentPart | undefined {
  const { type: _, [field]: text, ...data } = wire;
  if (typeof text !== "string") return undefined;
  const beside = Object.keys(data).length > 0 ? { data } : {};
  return { type: "reasoning", text, ...beside, extra: { as: field } };
}

function writeReasoning(part: ContentPart & { type: "reasoning" }): JsonObject {
  const as = textOf(part.extra?.["as"]) ?? "reasoning";
  const data = isJsonObject(part.data) ? part.data : {};
  return as === "redacted_thinking"
    ? { type: as, ...data }
    : { type: as, [as]: part.text, ...data };
}

const DETAILS = ["low", "high", "auto", "original"] as const;

function readImageUrl({ image_url: image }: JsonObject): ImagePart | undefined {
  const isBare = typeof image === "string";
  const { url, detail: given }: JsonObject = isJsonObject(image) ? image : { url: image ?? null };
  if (typeof url !== "string") return undefined;
  const detail = DETAILS.find((one) => one === given);
  const said = { ...fromUrl(url), ...(detail !== undefined && { detail }) };
  return { type: "image", ...said, ...(isBare && { extra: { bare: true } }) };
}

function writeImageUrl({ source, mediaType, detail, extra }: ImagePart): JsonObject | undefined {
  const url = toUrl(source, mediaType ?? "image/png");
  if (url === undefined) return undefined;
  const image = extra?.["bare"] === true ? url : withoutUndefined({ url, detail });
  return { type: "image_url", image_url: image };
}

/** The forms of a media block and their names: Anthropic's in `source`, LangChain's older (`source_type`) and newer ones. */
const FORMS = {
  anthropic: { data: "data", url: "url", id: undefined, mediaType: "media_type" },
  older: { data: "data", url: "url", id: "id", mediaType: "mime_type" },
  newer: { data: "data", url: "url", id: "fileId", mediaType: "mimeType" },
} as const;

/** The fields of a block that locate its media. */
const SOURCES = [
  ["data", "base64"],
  ["url", "url"],
  ["id", "id"],
] as const;

const MEDIA: ReadonlySet<JsonValue | undefined> = new Set(["image", "file", "audio", "video"]);

function readMedia(wire: JsonObject): ImagePart | FilePart | undefined {
  const { type, source: inner, source_type: said } = wire;
  if (!MEDIA.has(type)) return undefined;
  const own = said === undefined ? "newer" : "older";
  const as = isJsonObject(inner) ? "anthropic" : own;
  const holder = isJsonObject(inner) ? inner : wire;
  const names = FORMS[as];
  const states = isJsonObject(inner) ? inner["type"] : said;
  const [kind] =
    SOURCES.find(([one, name]) =>
      as === "newer" ? typeof wire[names[one] ?? ""] === "string" : states === name,
    ) ?? [];
  const payload = textOf(holder[(kind && names[kind]) ?? ""]);
  const mediaType = textOf(holder[names.mediaType]);
  if (kind === undefined || payload === undefined) return undefined;
  const media = { source: sourceOf(kind, payload), ...(mediaType !== undefined && { mediaType }) };
  if (type === "image") return { type, ...media, extra: { as } };
  return { type: "file", ...media, extra: { as, ...(type !== "file" && { kind: type ?? "" }) } };
}

/** Writes an image or a file; `undefined` if LangChain has no block for it. */
function writeMedia(part: ImagePart | FilePart): JsonObject | undefined {
  const { source, mediaType, extra } = part;
  const as = (["anthropic", "older", "newer"] as const).find((one) => one === extra?.["as"]);
  if (part.type === "image" && as === undefined) return writeImageUrl(part);
  if (source.kind === "text") return undefined;
  // Audio from another format is written as `audio`, not as a file: LangChain sends it differently.
  const usual = extra === undefined && mediaType?.startsWith("audio/") ? "audio" : part.type;
  const type = textOf(extra?.["kind"]) ?? usual;
  const { [source.kind]: key, mediaType: typeKey } = FORMS[as ?? "older"];
  const [, stated] = SOURCES.find(([kind]) => kind === source.kind) ?? [];
  if (key === undefined || stated === undefined) return undefined;
  const said = { [key]: payloadOf(source) };
  if (as !== "anthropic") {
    const source_type = as === "newer" ? undefined : stated;
    return withoutUndefined({ type, source_type, ...said, [typeKey]: mediaType });
  }
  const media_type = source.kind === "url" ? undefined : mediaType;
  return { type, source: withoutUndefined({ type: stated, media_type, ...said }) };
}

const UNNAMED = "unknown_tool";
const MALFORMED = "malformed";

/** The calls in `tool_calls`. A call without a name or without an arguments object is read too, because a result may answer it. */
export const langChainCalls: CallCodec = {
  read: ({ id, name, args }, fallbackId) => {
    if (name !== undefined && typeof name !== "string") return undefined;
    const isWhole = nameOf(name) !== undefined && isJsonObject(args);
    return {
      id: nameOf(id) ?? fallbackId,
      name: nameOf(name) ?? UNNAMED,
      arguments: typeof args === "string" ? args : JSON.stringify(args ?? {}),
      ...(!isWhole && { extra: { as: MALFORMED, isText: typeof args === "string" } }),
    };
  },
  write: (call) => {
    const { id, name, arguments: text, extra } = call;
    if (extra?.["as"] === CHAT) return rawCalls.write(call);
    const given = extra?.["isText"] === true ? text : parseJson(text);
    const args = extra?.["as"] === MALFORMED && given !== undefined ? given : argsOf(text);
    return { name, args, id, type: "tool_call" };
  },
};

/** The calls of a plain message: LangChain's, or those of chat completions (`{ id, type: "function", function }`), which LangChain converts. */
export const plainCalls: CallCodec = {
  read: (wire, fallbackId) => {
    const call = wire["type"] === "function" ? rawCalls.read(wire, fallbackId) : undefined;
    return call ? { ...call, extra: { as: CHAT } } : langChainCalls.read(wire, fallbackId);
  },
  write: langChainCalls.write,
};

const CHAT = "chat";

/** The calls in `invalid_tool_calls`, whose arguments LangChain could not parse. A result may answer them too. */
export const invalidCalls: CallCodec = {
  read: ({ id, name, args }, fallbackId) => ({
    id: nameOf(id) ?? fallbackId,
    name: nameOf(name) ?? UNNAMED,
    arguments: typeof args === "string" ? args : JSON.stringify(args ?? ""),
    extra: { as: INVALID },
  }),
  write: ({ id, name, arguments: text }) => ({ name, args: text, id, type: INVALID }),
};

const INVALID = "invalid_tool_call";

/** Returns whether LangChain could not parse the arguments of a call. */
export function isInvalid({ extra }: ToolCall): boolean {
  return extra?.["as"] === INVALID;
}

/** Returns whether a call came without a name or without an arguments object. */
export function isMalformed({ extra, arguments: text }: ToolCall): boolean {
  // LangChain throws if it cannot parse the arguments of a chat completion's call.
  if (extra?.["as"] === CHAT) return !isJsonObject(parseJson(text));
  return extra?.["as"] === MALFORMED;
}

/** The calls in OpenAI's raw list, read if the message's own list is empty. */
export const rawCalls: CallCodec = {
  read: ({ id, function: said }, fallbackId) => {
    const { name, arguments: text }: JsonObject = isJsonObject(said) ? said : {};
    if (!isJsonObject(said)) return undefined;
    const extra = { as: RAW };
    return {
      id: nameOf(id) ?? fallbackId,
      name: nameOf(name) ?? UNNAMED,
      arguments: textOf(text) ?? "",
      extra,
    };
  },
  write: ({ id, name, arguments: text }) => ({
    id,
    type: "function",
    function: { name, arguments: text },
  }),
};

const RAW = "raw";

/** The calls among the content blocks, read if the message lists none. */
export const blockCalls: CallCodec = {
  read: ({ type, id, name, input }) => {
    const [called, ownId] = [nameOf(name), nameOf(id)];
    if (type !== "tool_use" || called === undefined || ownId === undefined) return undefined;
    const extra = { as: BLOCK };
    return { id: ownId, name: called, arguments: JSON.stringify(input ?? {}), extra };
  },
  write: ({ id, name, arguments: text }) => ({ type: "tool_use", id, name, input: argsOf(text) }),
};

const BLOCK = "block";

/** Returns whether a call is only in OpenAI's raw list or among the blocks. */
export function isUnlisted(call: ToolCall): boolean {
  return isRaw(call) || call.extra?.["as"] === BLOCK;
}

/** Returns whether a call is only in OpenAI's raw list. */
export function isRaw({ extra }: ToolCall): boolean {
  return extra?.["as"] === RAW;
}

/** LangChain needs an arguments object. Other text goes into `input`, as for custom tools. */
function argsOf(text: string): JsonObject {
  const args = parseJson(text);
  if (isJsonObject(args)) return args;
  return text.trim() === "" ? {} : { input: text };
}

/** The block types in which providers repeat a call in its message. */
const CALL_COPIES = ["tool_use", "tool_call", "function"] as const;

type CopyKind = (typeof CALL_COPIES)[number];

/** Returns the fields that a copy of a call has beside the call, for the call's `extra`; `undefined` if it is not a copy of it. */
export function readCopy(call: ToolCall, copy: JsonValue): JsonObject | undefined {
  const kind = isJsonObject(copy) ? CALL_COPIES.find((one) => one === copy["type"]) : undefined;
  if (!isJsonObject(copy) || kind === undefined || !isCopyOf(call, copy, kind)) return undefined;
  const difference = wireDifference(copyOf(call, kind), copy);
  return { as: kind, ...difference };
}

/** Writes a copy of a call, updated to the call's present content. */
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

/** Returns the call with its arguments as the provider wrote them, if a copy contains them and is equal. */
export function asWritten(call: ToolCall, copy: JsonValue): ToolCall {
  const inner = isJsonObject(copy) ? copy["function"] : undefined;
  const text = isJsonObject(inner) ? textOf(inner["arguments"]) : undefined;
  // A person who edits a call edits the message but not the provider's copy.
  const isSame = text !== undefined && readCopy(call, copy) !== undefined;
  return isSame ? { ...call, arguments: text } : call;
}

/** Converts content of another format to what all of LangChain's models take: images and files only in user messages. */
export function foreignContent(content: Content, role: MessageRole): Content {
  return portableContent(
    content,
    (media) => role === "user" && langChainParts.write(media) !== undefined,
  );
}
