import type { JsonObject, JsonValue } from "@agent-history/core";
import { isJsonObject } from "@agent-history/format-kit";

/** Names the parts of a message as the API does. */
export function packContent(item: JsonObject): JsonObject {
  const { content } = item;
  return Array.isArray(content) ? { ...item, content: content.map(packPart) } : item;
}

/** Names the parts of a message as the SDK does, which takes a text of a user only, and instructions as a text only. */
export function unpackContent(wire: JsonObject): JsonObject {
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

/** Puts what a function returned into the forms of the API: a text, or a list of parts. One text alone may come as an object. */
export function packOutput(item: JsonObject): JsonObject {
  const { output } = item;
  if (Array.isArray(output)) return { ...item, output: output.map(packPart) };
  if (!isJsonObject(output)) return item;
  const { type, text } = output;
  if (type !== "text" || typeof text !== "string") return item;
  return { ...item, output: [{ type: "input_text", text, alone: { ...output, text: null } }] };
}

export function unpackOutput(wire: JsonObject): JsonObject {
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

/** Renames a field and gives it a value; the order of the fields stays. */
function withKey(part: JsonObject, from: string, to: string, value: JsonValue): JsonObject {
  return Object.fromEntries(
    Object.entries(part).map(([key, field]) => (key === from ? [to, value] : [key, field])),
  );
}

function imageKey(): string {
  return "image_url";
}

/** As the SDK sends it: bytes as they are or as a data URL. */
function fileKey(value: string): string | undefined {
  return value.startsWith("data:") || /^[\w+/=]+$/.test(value) ? "file_data" : undefined;
}

/** Where the API has what the SDK has in one field of each part. */
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
