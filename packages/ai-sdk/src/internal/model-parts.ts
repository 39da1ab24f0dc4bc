import type {
  FilePart,
  ImagePart,
  JsonObject,
  JsonValue,
  MediaSource,
  ToolCall,
} from "@agent-history/core";
import {
  cameWith,
  fromUrl,
  isJsonObject,
  nameOf,
  objectOf,
  parseJson,
  payloadOf,
  sourceOf,
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
      case "reasoning": {
        const { type: _, text, ...data } = wire;
        if (typeof text !== "string") return undefined;
        return { type: "reasoning", text, ...(Object.keys(data).length > 0 && { data }) };
      }
      case "reasoning-file":
        return { type: "reasoning", text: "", data: wire, extra: { as: "block" } };
      case "image":
      case "file":
        return readMedia(wire);
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
        return part.extra?.["as"] === "block"
          ? data
          : { type: "reasoning", text: part.text, ...data };
      }
      case "image":
      case "file":
        return writeMedia(part);
      case "opaque":
        return undefined;
    }
  },
};

/** The file types in tool outputs before AI SDK 7. */
const OLD_KIND = /^(?:file|image)-/u;

/** The parts of a tool output of the type `content`. */
export const outputParts: PartCodec = {
  read: (wire) => {
    const type = textOf(wire["type"]) ?? "";
    if (OLD_KIND.test(type)) return readMedia(wire);
    return type === "text" || type === "file" ? modelParts.read(wire) : undefined;
  },
  write: modelParts.write,
};

/** The fields of a part that may contain its bytes or their location. */
const PLACES = ["data", "url", "fileId", "providerReference"];

/** Reads an image or a file. `extra` stores the type of the part (`as`), the key path of its bytes, URL or id (`value`), and the media type in a data URL (`inUrl`). */
function readMedia(wire: JsonObject): ImagePart | FilePart | undefined {
  const { mediaType, filename } = wire;
  const as = textOf(wire["type"]) ?? "";
  const key = as === "image" ? as : PLACES.find((one) => one in wire);
  const found = key === undefined ? undefined : locate(wire[key], [key]);
  if (found === undefined || (as === "file" && typeof mediaType !== "string")) return undefined;
  const name = textOf(filename);
  const { source, mediaType: inUrl }: ReturnType<typeof fromUrl> =
    found.source.kind === "url" ? fromUrl(found.source.url) : found;
  const media = {
    source,
    ...(typeof mediaType === "string" && { mediaType }),
    extra: { as, value: found.keys, ...(inUrl !== undefined && { inUrl }) },
  };
  return /^image(?:$|[/-])/u.test(as === "file" ? (textOf(mediaType) ?? "") : as)
    ? { type: "image", ...media }
    : { type: "file", ...media, ...(name !== undefined && { name }) };
}

interface Located {
  readonly keys: readonly string[];
  readonly source: MediaSource;
}

/** Finds the text under the only key, or under the key that the object's `type` names. Values that JSON lacks are packed (see `packBinary`). */
function locate(
  value: JsonValue | undefined,
  keys: readonly [string, ...string[]],
): Located | undefined {
  if (typeof value === "string") return { keys, source: sourceOf(kindAt(keys, value), value) };
  if (!isJsonObject(value)) return undefined;
  const [key, ...others] = "type" in value ? [textOf(value["type"])] : Object.keys(value);
  if (key === undefined || others.length > 0) return undefined;
  return locate(value[key], [...keys, key]);
}

const KINDS: ReadonlyMap<string | undefined, MediaSource["kind"]> = new Map([
  ["url", "url"],
  ["$url", "url"],
  ["data", "data"],
  ["image", "data"],
  ["$bytes", "data"],
  ["$buffer", "data"],
  ["text", "text"],
]);

/** Returns the kind of source by its last key. Other keys contain a provider's file id. */
function kindAt(keys: readonly string[], payload: string): MediaSource["kind"] {
  const isLink = keys.length === 1 && /^(?:https?|data):/u.test(payload);
  return isLink ? "url" : (KINDS.get(keys.at(-1)) ?? "id");
}

/** Writes an image or a file; as a `file` part if it did not come from such a message. */
function writeMedia(part: ImagePart | FilePart): JsonObject {
  const { source, extra } = part;
  const { as = "file", value, inUrl } = extra ?? {};
  const isInUrl = typeof inUrl === "string" && source.kind === "data";
  const payload = isInUrl ? `data:${inUrl};base64,${source.base64}` : payloadOf(source);
  const keys = Array.isArray(value) ? value.filter((key) => typeof key === "string") : [];
  // If the kind of source has changed, it belongs under another key.
  const came = kindAt(keys, payload) === (isInUrl ? "url" : source.kind) ? keys : undefined;
  const [key = "data", ...inner] = came ?? ["data", source.kind];
  const usualType = part.type === "image" ? "image" : "application/octet-stream";
  return withoutUndefined({
    type: came === undefined ? "file" : as,
    [key]: placed(payload, inner),
    mediaType: part.mediaType ?? (came === undefined ? usualType : undefined),
    filename: part.type === "file" ? part.name : undefined,
  });
}

/** The keys that need a `type` of the same name beside them. */
const TAGS = new Set(["data", "url", "text", "reference"]);

function placed(payload: JsonValue, [key, ...inner]: readonly string[]): JsonValue {
  if (key === undefined) return payload;
  return { ...(TAGS.has(key) && { type: key }), [key]: placed(payload, inner) };
}

/** Marks a call whose input was a value other than an object. */
const VALUE = "value";

/** The tool calls of a message that are answered in a later one, and requests to approve calls, which keep the id of their call in `extra`. */
export const modelCalls: CallCodec = {
  read: ({ type, toolCallId, approvalId, toolName, input, providerOptions }, fallbackId) => {
    if (type === REQUEST) {
      const asked = { id: nameOf(approvalId) ?? fallbackId, name: "unknown_tool", arguments: "" };
      return { ...asked, kind: "approval", extra: { as: type } };
    }
    const id = nameOf(toolCallId) ?? fallbackId;
    if (type !== "tool-call") return undefined;
    const name = nameOf(toolName) ?? "unknown_tool";
    const callerId = callerOf(providerOptions);
    const named = { id, name, ...(callerId !== undefined && { callerId }) };
    if (input === undefined) return { ...named, arguments: "" };
    const call = { ...named, arguments: JSON.stringify(input) };
    return isJsonObject(input) ? call : { ...call, extra: { as: VALUE } };
  },
  write: (call) => {
    const { id, name, arguments: text, extra } = call;
    if (isRequest(call)) return { type: REQUEST, approvalId: id };
    const usual = { type: "tool-call", toolCallId: id, toolName: name };
    // Input that is not JSON stays text, as in the AI SDK. A number stays text too, because parsing might lose digits.
    const input = parseJson(text);
    if (isJsonObject(input) || (extra?.["as"] === VALUE && input !== undefined)) {
      return { ...usual, input };
    }
    return text === "" ? usual : { ...usual, input: text };
  },
};

/** Returns whether the provider runs a call. */
export function isProviderCall(call: ToolCall | undefined): boolean {
  return call !== undefined && cameWith(call, "providerExecuted") === true;
}

/** Returns the call of the program, run by Anthropic, that made this call. */
function callerOf(providerOptions: JsonValue | undefined): string | undefined {
  const options = objectOf(objectOf(providerOptions)["anthropic"]);
  return nameOf(objectOf(options["caller"])["toolId"]);
}

/** The type of a request to approve a call. */
export const REQUEST = "tool-approval-request";

/** Returns whether a call is an approval request. */
export function isRequest(call: ToolCall | undefined): boolean {
  return call?.extra?.["as"] === REQUEST;
}
