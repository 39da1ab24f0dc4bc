import type { ContentPart, JsonObject, JsonValue, ToolCall } from "@agent-history/core";

import { isJsonObject } from "./is-json-object.ts";
import { mergeJson } from "./merge-json.ts";
import { wireDifference } from "./wire-difference.ts";

/** How a format writes a tool call. Neither direction cares for fields that no call has. */
export interface CallCodec {
  /** Returns the call, name and arguments as they came, under `fallbackId` where it came without an id. */
  readonly read: (wire: JsonObject, fallbackId: string) => ToolCall | undefined;
  readonly write: (call: ToolCall) => JsonObject;
}

/**
 * Reads a call with all it carries; what the codec does not know is carried as it is. Where the id or the type is
 * missing, the call has one of its own, and its `extra` says so.
 */
export function readCall(
  wire: JsonValue,
  codec: CallCodec,
  fallbackId: string,
): ToolCall | ContentPart {
  const call = isJsonObject(wire) ? codec.read(wire, fallbackId) : undefined;
  if (!isJsonObject(wire) || call === undefined) return { type: "opaque", data: wire };
  const difference = wireDifference(codec.write(call), wire);
  return difference === undefined ? call : { ...call, extra: { ...call.extra, ...difference } };
}

/** Writes a call; one of another format without what only that format understands. */
export function writeCall(call: ToolCall, codec: CallCodec, isOwn: boolean): JsonObject {
  const { extra, ...foreign } = call;
  return mergeJson(codec.write(isOwn ? call : foreign), isOwn ? extra : undefined);
}

/** Tells a call from a part. */
export function isToolCall(value: ToolCall | ContentPart): value is ToolCall {
  return "arguments" in value;
}
