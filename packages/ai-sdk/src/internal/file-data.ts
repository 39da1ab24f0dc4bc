import type { JsonObject, JsonValue, MediaSource } from "@agent-history/core";
import { isJsonObject, textOf, withoutUndefined } from "@agent-history/format-kit";

/** Where a file's bytes are, and the form in which the AI SDK was told: for `extra`. */
export interface ReadFile {
  readonly source: MediaSource;
  readonly extra?: JsonObject;
}

/**
 * Reads the data of a file: tagged, or bare. What is no JSON comes packed (see `packBinary`).
 *
 * Marks in `extra`: `bare` not tagged · `value` what the bytes or the URL were, where not base64 or a `URL` · `provider`
 * whose id it is.
 */
export function readFileData(data: JsonValue | undefined): ReadFile | undefined {
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
export function writeFileData(source: MediaSource, extra: JsonObject = {}): JsonValue {
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
export function readReference(reference: JsonObject): ReadFile | undefined {
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
