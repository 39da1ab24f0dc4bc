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
  indexOf,
  isJsonObject,
  mergeJson,
  nameOf,
  objectOf,
  onlyAdds,
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
  const data = objectOf(part.data);
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

/** How older blocks and Anthropic's name the kinds of sources. */
const STATED = { data: "base64", url: "url", id: "id" } as const;

const KINDS = ["data", "url", "id"] as const;

const MEDIA: ReadonlySet<JsonValue | undefined> = new Set(["image", "file", "audio", "video"]);

function readMedia(wire: JsonObject): ImagePart | FilePart | undefined {
  const { type, source: inner, source_type: said } = wire;
  if (!MEDIA.has(type)) return undefined;
  const own = said === undefined ? "newer" : "older";
  const as = isJsonObject(inner) ? "anthropic" : own;
  const holder = isJsonObject(inner) ? inner : wire;
  const names = FORMS[as];
  const kind = KINDS.find((one) => typeof holder[names[one] ?? ""] === "string");
  if (kind === undefined) return undefined;
  const mediaType = textOf(holder[names.mediaType]);
  const source = sourceOf(kind, textOf(holder[names[kind] ?? ""]) ?? "");
  const media = { source, ...(mediaType !== undefined && { mediaType }) };
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
  const stated = STATED[source.kind];
  if (key === undefined) return undefined;
  const said = { [key]: payloadOf(source) };
  if (as !== "anthropic") {
    const source_type = as === "newer" ? undefined : stated;
    return withoutUndefined({ type, source_type, ...said, [typeKey]: mediaType });
  }
  const media_type = source.kind === "url" ? undefined : mediaType;
  return { type, source: withoutUndefined({ type: stated, media_type, ...said }) };
}

/** The forms of a call: LangChain's, that of chat completions, Anthropic's block, and LangChain's for arguments that it could not parse. */
const CALL_FORMS = ["tool_call", "function", "tool_use", "invalid_tool_call"] as const;

type CallForm = (typeof CALL_FORMS)[number];

function writeAs(form: CallForm, { id, name, arguments: text }: ToolCall): JsonObject {
  switch (form) {
    case "tool_call":
      return { type: form, id, name, args: argsOf(text) };
    case "function":
      return { type: form, id, function: { name, arguments: text } };
    case "tool_use":
      return { type: form, id, name, input: argsOf(text) };
    case "invalid_tool_call":
      return { type: form, id, name, args: text };
  }
}

/** LangChain needs an arguments object. Other text goes into `input`, as for custom tools. */
function argsOf(text: string): JsonObject {
  const args = parseJson(text);
  if (isJsonObject(args)) return args;
  return text.trim() === "" ? {} : { input: text };
}

/**
 * Returns how calls in one form are read; all are written in the form in which they came, a call of another format in LangChain's. A call without a name or without an arguments object is read
 * too, because a result may answer it.
 *
 * @param at - Where the calls are if not in a list of LangChain's.
 */
export function callsAs(form: CallForm, at?: "raw" | "block"): CallCodec {
  return {
    read: (wire, fallbackId) => {
      const said = form === "function" ? wire["function"] : wire;
      if (!isJsonObject(said)) return undefined;
      const { name, args, arguments: given = args, input = given } = said;
      const [ownId, called] = [nameOf(wire["id"]), nameOf(name)];
      const isUnknown = wire["type"] !== form || ownId === undefined || called === undefined;
      const isNamed = form !== "tool_call" || name === undefined || typeof name === "string";
      if (!isNamed || (at === "block" && isUnknown)) return undefined;
      const isText = typeof input === "string";
      const isOdd = form === "tool_call" && (called === undefined || !isJsonObject(input));
      return {
        id: ownId ?? fallbackId,
        name: called ?? "unknown_tool",
        arguments: isText ? input : JSON.stringify(input ?? {}),
        ...((form !== "tool_call" || isOdd) && {
          extra: { as: form, ...(at && { at }), ...(isOdd && { odd: isText ? "text" : "value" }) },
        }),
      };
    },
    write: (call) => {
      const { extra, arguments: text } = call;
      const usual = writeAs(formOf(extra) ?? "tool_call", call);
      const odd = extra?.["odd"] === "text" ? text : parseJson(text);
      return extra?.["odd"] === undefined || odd === undefined ? usual : { ...usual, args: odd };
    },
  };
}

/** The calls of a plain message: LangChain's, or those of chat completions, which LangChain converts. */
export const plainCalls: CallCodec = {
  ...callsAs("tool_call"),
  read: (wire, fallbackId) =>
    callsAs(wire["type"] === "function" ? "function" : "tool_call").read(wire, fallbackId),
};

/** Returns whether LangChain could not parse the arguments of a call. */
export function isInvalid({ extra }: ToolCall): boolean {
  return extra?.["as"] === "invalid_tool_call";
}

/** Returns whether a call came without a name or without an arguments object, or is only in OpenAI's raw list or among the blocks. */
export function isFaulty(call: ToolCall): boolean {
  const { extra = {}, arguments: text } = call;
  if (extra["at"] !== undefined || extra["odd"] !== undefined) return true;
  // LangChain throws if it cannot parse the arguments of a chat completion's call.
  return isInvalid(call) || (extra["as"] === "function" && !isJsonObject(parseJson(text)));
}

/** Reads a provider's copy of a call: its form, and the fields that the call lacks. Returns `undefined` if it is no copy. */
export function readCopy(call: ToolCall, block: JsonValue): JsonObject | undefined {
  const form = isJsonObject(block) ? CALL_FORMS.find((one) => one === block["type"]) : undefined;
  if (!isJsonObject(block) || form === undefined) return undefined;
  const usual = writeAs(form, call);
  // The input of a streamed block is a text, for which its class sends the arguments of the call.
  const isStreamed = form === "tool_use" && typeof block["input"] === "string";
  const said = isStreamed ? { ...block, input: usual["input"] ?? {} } : block;
  const difference = wireDifference(usual, said) ?? {};
  const { input, args } = objectOf(difference["inner"]);
  if (!onlyAdds(difference, usual) || (input ?? args) !== undefined) return undefined;
  const streamed = { ...objectOf(difference["fields"]), input: block["input"] ?? "" };
  return { as: form, ...difference, ...(isStreamed && { fields: streamed }) };
}

/** Writes the copy of a call with the present content of the call. */
export function writeCopy(call: ToolCall, copy: JsonObject): JsonObject {
  return mergeJson(writeAs(formOf(copy) ?? "tool_call", call), copy);
}

function formOf(extra: JsonObject | undefined): CallForm | undefined {
  return CALL_FORMS.find((one) => one === extra?.["as"]);
}

/** Returns the key that a copy among the content blocks, a part without data, has in common with the `index` of its call; `undefined` for other parts. */
export function keyOf({ extra }: ContentPart): number | undefined {
  return indexOf(extra?.["call"]);
}

/** Converts content of another format to what all of LangChain's models take: images and files only in user messages. */
export function foreignContent(content: Content, role: MessageRole): Content {
  return portableContent(
    content,
    (media) => role === "user" && langChainParts.write(media) !== undefined,
  );
}
