import type { JsonObject, JsonValue } from "@agent-history/core";
import { isJsonObject } from "@agent-history/format-kit";

/** Maps one kind of SDK item to the Responses API: type, field names and other differences. */
export interface ItemKind {
  readonly type: string;
  /** Fields with equal values but different names in the SDK and the API. */
  readonly names: readonly (readonly [own: string, wire: string])[];
  readonly pack?: (item: JsonObject) => JsonObject;
  readonly unpack?: (wire: JsonObject) => JsonObject;
}

const CALL_ID = ["callId", "call_id"] as const;

/** The SDK's kinds, by its names. Other kinds have the same name and fields in the API, or exist only in the SDK. */
export const ITEM_KINDS: ReadonlyMap<string, ItemKind> = new Map<string, ItemKind>([
  ["message", { type: "message", names: [], pack: packContent, unpack: unpackContent }],
  ["function_call", called("function_call")],
  ["function_call_result", result("function_call_output")],
  ["computer_call", called("computer_call")],
  [
    "computer_call_result",
    {
      type: "computer_call_output",
      names: [CALL_ID],
      pack: (item) => ({ ...item, output: renamed(item["output"], "data", "image_url") }),
      unpack: (wire) => ({ ...wire, output: renamed(wire["output"], "image_url", "data") }),
    },
  ],
  ["shell_call", called("shell_call")],
  [
    "shell_call_output",
    {
      type: "shell_call_output",
      names: [CALL_ID],
      pack: (item) => inOutcomes(item, "exitCode", "exit_code"),
      unpack: (wire) => inOutcomes(wire, "exit_code", "exitCode"),
    },
  ],
  ["apply_patch_call", called("apply_patch_call")],
  ["apply_patch_call_output", called("apply_patch_call_output")],
  ["program", called("program")],
  ["program_output", { type: "program_output", names: [CALL_ID, ["output", "result"]] }],
  ["tool_search_call", search("tool_search_call")],
  ["tool_search_output", search("tool_search_output")],
  [
    "reasoning",
    {
      type: "reasoning",
      // The SDK's raw reasoning has the API's name for the summary: swap them.
      names: [
        ["content", "summary"],
        ["rawContent", "content"],
      ],
      pack: (item) => ({ ...inSummary(item, "input_text", "summary_text"), ...sealOf(item) }),
      unpack: (wire) => withoutSeal(inSummary(wire, "summary_text", "input_text")),
    },
  ],
]);

/** The SDK's kinds, by the API's names. */
export const KINDS_BY_WIRE: ReadonlyMap<string, readonly [own: string, kind: ItemKind]> = new Map(
  [...ITEM_KINDS].map(([own, kind]) => [kind.type, [own, kind]]),
);

/** A call that a program may make, too: the program's id is in `caller`. */
function called(type: string): ItemKind {
  return {
    type,
    names: [CALL_ID],
    pack: (item) => inCaller(item, "callerId", "caller_id"),
    unpack: (wire) => inCaller(wire, "caller_id", "callerId"),
  };
}

function result(type: string): ItemKind {
  const { names, pack, unpack } = called(type);
  return {
    type,
    names,
    pack: (item) => packOutput(pack?.(item) ?? item),
    unpack: (wire) => unpackOutput(unpack?.(wire) ?? wire),
  };
}

/** The SDK accepts both names of the call id here. */
function search(type: string): ItemKind {
  return {
    type,
    names: [],
    pack: (item) => {
      const { callId, call_id: wireId = callId } = item;
      return wireId === undefined ? item : { ...item, call_id: wireId };
    },
    unpack: ({ call_id: wireId, ...wire }) =>
      wireId === undefined || "callId" in wire ? wire : { ...wire, call_id: wireId },
  };
}

function inCaller(item: JsonObject, from: string, to: string): JsonObject {
  return "caller" in item ? { ...item, caller: renamed(item["caller"], from, to) } : item;
}

function inOutcomes(item: JsonObject, from: string, to: string): JsonObject {
  const { output } = item;
  if (!Array.isArray(output)) return item;
  const chunks = output.map((chunk) =>
    isJsonObject(chunk) && "outcome" in chunk
      ? { ...chunk, outcome: renamed(chunk["outcome"], from, to) }
      : chunk,
  );
  return { ...item, output: chunks };
}

function inSummary(item: JsonObject, from: string, to: string): JsonObject {
  const key = "summary" in item ? "summary" : "content";
  const { [key]: texts } = item;
  if (!Array.isArray(texts)) return item;
  const written = texts.map((text) =>
    isJsonObject(text) && text["type"] === from ? { ...text, type: to } : text,
  );
  return { ...item, [key]: written };
}

/** The seal of reasoning, which its weight depends on. The API has it beside the item's fields. */
function sealOf({ providerData }: JsonObject): JsonObject {
  const data = isJsonObject(providerData) ? providerData : {};
  const seal = data["encryptedContent"] ?? data["encrypted_content"];
  return typeof seal === "string" ? { encrypted_content: seal } : {};
}

function withoutSeal(wire: JsonObject): JsonObject {
  const { encrypted_content: seal, ...item } = wire;
  return seal !== undefined && sealOf(wire)["encrypted_content"] === undefined ? wire : item;
}

function renamed(
  value: JsonObject[string] | undefined,
  from: string,
  to: string,
): JsonObject[string] {
  if (value === undefined) return null;
  if (!isJsonObject(value) || !(from in value) || to in value) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [key === from ? to : key, field]),
  );
}

/** Converts the parts of a message to the API's names. */
function packContent(item: JsonObject): JsonObject {
  const { content } = item;
  return Array.isArray(content) ? { ...item, content: content.map(packPart) } : item;
}

/** Converts the parts of a message to the SDK's names. The SDK takes string content only from users, and instructions only as a string. */
function unpackContent(wire: JsonObject): JsonObject {
  const { role, content } = wire;
  if (role === "assistant" && typeof content === "string") {
    const said = [{ type: "output_text", text: content }];
    return { type: "message", status: "completed", ...wire, content: said };
  }
  if (!Array.isArray(content)) return wire;
  return {
    ...wire,
    content: role === "system" ? content.map(textOfPart).join("\n") : content.map(unpackPart),
  };
}

/** Converts the output of a function to the API's forms: a string or a list of parts. The SDK may also have a single text object. */
function packOutput(item: JsonObject): JsonObject {
  const { output } = item;
  if (Array.isArray(output)) return { ...item, output: output.map(packPart) };
  if (!isJsonObject(output)) return item;
  const { type, text } = output;
  if (type !== "text" || typeof text !== "string") return item;
  return { ...item, output: [{ type: "input_text", text, alone: { ...output, text: null } }] };
}

function unpackOutput(wire: JsonObject): JsonObject {
  const { output } = wire;
  if (!Array.isArray(output)) return wire;
  const [only, ...others] = output;
  if (others.length > 0 || !isJsonObject(only) || !isJsonObject(only["alone"])) {
    return { ...wire, output: output.map(unpackPart) };
  }
  const { alone, text = "" } = only;
  return { ...wire, output: { ...alone, type: "text", text } };
}

function packPart(part: JsonValue): JsonValue {
  if (!isJsonObject(part)) return part;
  if (part["type"] === "input_image") return packField(part, "image", imageKey);
  if (part["type"] === "input_file") return packField(part, "file", fileKey);
  return part;
}

function packField(
  part: JsonObject,
  key: string,
  keyOf: (value: string) => string | undefined,
): JsonObject {
  const { [key]: value } = part;
  if (typeof value === "string") return withKey(part, key, keyOf(value) ?? key, value);
  if (!isJsonObject(value) || Object.keys(value).length !== 1) return part;
  const { id, url } = value;
  if (typeof id === "string") return withKey(part, key, "file_id", id);
  return typeof url === "string" && key === "file" ? withKey(part, key, "file_url", url) : part;
}

/** Renames a field and sets its value, and keeps the order of fields. */
function withKey(part: JsonObject, from: string, to: string, value: JsonValue): JsonObject {
  return Object.fromEntries(
    Object.entries(part).map(([key, field]) => (key === from ? [to, value] : [key, field])),
  );
}

function imageKey(): string {
  return "image_url";
}

/** The SDK sends file data as base64 or as a data URL. */
function fileKey(value: string): string | undefined {
  return value.startsWith("data:") || /^[\w+/=]+$/.test(value) ? "file_data" : undefined;
}

/** The API has several fields where the SDK has one, by part type. */
const SOURCES: ReadonlyMap<unknown, readonly [own: string, wire: readonly string[]]> = new Map([
  ["input_image", ["image", ["image_url", "file_id"]]],
  ["input_file", ["file", ["file_url", "file_data", "file_id"]]],
]);

function unpackPart(part: JsonValue): JsonValue {
  if (!isJsonObject(part)) return part;
  const [own = "", names = []] = SOURCES.get(part["type"]) ?? [];
  const name = names.find((one) => typeof part[one] === "string");
  const value = part[name ?? ""];
  if (name === undefined || value === undefined) return part;
  if (name === "file_id") return withKey(part, name, own, { id: value });
  return withKey(part, name, own, name === "file_url" ? { url: value } : value);
}

function textOfPart(part: JsonValue): string {
  return isJsonObject(part) && typeof part["text"] === "string" ? part["text"] : "";
}
