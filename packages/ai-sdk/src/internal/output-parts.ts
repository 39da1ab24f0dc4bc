import type { FilePart, ImagePart, JsonObject } from "@agent-history/core";
import { isJsonObject, textOf, withoutUndefined } from "@agent-history/format-kit";
import type { PartCodec } from "@agent-history/format-kit";

import { readReference } from "./file-data.ts";
import type { ReadFile } from "./file-data.ts";
import { modelParts } from "./model-parts.ts";

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
