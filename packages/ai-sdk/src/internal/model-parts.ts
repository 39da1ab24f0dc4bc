import type {
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
        const data = isJsonObject(part.data) ? part.data : {};
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

/** The kinds of file that a tool's output had before AI SDK 7. */
const OLD_KIND = /^(?:file|image)-/u;

/** The parts of a tool's output of the kind `content`. */
export const outputParts: PartCodec = {
  read: (wire) => {
    const type = textOf(wire["type"]) ?? "";
    if (OLD_KIND.test(type)) return readMedia(wire);
    return type === "text" || type === "file" ? modelParts.read(wire) : undefined;
  },
  write: modelParts.write,
};

/** The fields of a part that may hold its bytes, or say where they are. */
const PLACES = ["data", "url", "fileId", "providerReference"];

/** Reads an image or a file. `extra` notes the kind of the part (`as`) and the keys under which its bytes, its URL or its id stand in it (`value`). */
function readMedia(wire: JsonObject): ImagePart | FilePart | undefined {
  const { mediaType, filename } = wire;
  const as = textOf(wire["type"]) ?? "";
  const key = as === "image" ? as : PLACES.find((one) => one in wire);
  const found = key === undefined ? undefined : locate(wire[key], [key]);
  if (found === undefined || (as === "file" && typeof mediaType !== "string")) return undefined;
  const name = textOf(filename);
  const media = {
    source: found.source,
    ...(typeof mediaType === "string" && { mediaType }),
    extra: { as, value: found.keys },
  };
  return /^image(?:$|[/-])/u.test(as === "file" ? (textOf(mediaType) ?? "") : as)
    ? { type: "image", ...media }
    : { type: "file", ...media, ...(name !== undefined && { name }) };
}

interface Located {
  readonly keys: readonly string[];
  readonly source: MediaSource;
}

/** Finds the text below the only key, or the key that the `type` of the object names. What is no JSON comes packed (see `packBinary`). */
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

/** Below another key stands what a provider calls the file. */
function kindAt(keys: readonly string[], payload: string): MediaSource["kind"] {
  const isLink = keys.length === 1 && /^(?:https?|data):/u.test(payload);
  return isLink ? "url" : (KINDS.get(keys.at(-1)) ?? "id");
}

/** Writes an image or a file, as a file where it did not come in such a message. */
function writeMedia(part: ImagePart | FilePart): JsonObject {
  const { source, extra } = part;
  const payload = payloadOf(source);
  const { as = "file", value } = extra ?? {};
  const keys = Array.isArray(value) ? value.filter((key) => typeof key === "string") : [];
  // A source of another kind than came stands elsewhere.
  const came = kindAt(keys, payload) === source.kind ? keys : undefined;
  const [key = "data", ...inner] = came ?? ["data", source.kind];
  const usualType = part.type === "image" ? "image" : "application/octet-stream";
  return withoutUndefined({
    type: came === undefined ? "file" : as,
    [key]: placed(payload, inner),
    mediaType: part.mediaType ?? (came === undefined ? usualType : undefined),
    filename: part.type === "file" ? part.name : undefined,
  });
}

/** The keys that the `type` beside them names. */
const TAGS = new Set(["data", "url", "text", "reference"]);

function placed(payload: JsonValue, [key, ...inner]: readonly string[]): JsonValue {
  if (key === undefined) return payload;
  return { ...(TAGS.has(key) && { type: key }), [key]: placed(payload, inner) };
}

/** Marks a call whose input came as a value that is not an object. */
const VALUE = "value";

/** The tool calls of an AI SDK message that are answered in a later one. */
export const modelCalls: CallCodec = {
  read: ({ type, toolCallId, toolName, input, providerOptions }, fallbackId) => {
    const id = nameOf(toolCallId) ?? fallbackId;
    if (type !== "tool-call") return undefined;
    const name = nameOf(toolName) ?? "unknown_tool";
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
