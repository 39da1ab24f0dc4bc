import type { ContentPart, JsonObject, JsonValue, ToolCall } from "@agent-history/core";

import { isJsonObject } from "./is-json-object.ts";
import { patchWire } from "./patch-wire.ts";
import { wireDifference } from "./wire-difference.ts";
import { nameOf, textOf } from "./wire-text.ts";

/** Reads one of `tool_calls` with all it bears; under `fallbackId` where it has no id. What is not known is carried as it is. */
export function readCall(wire: JsonValue, fallbackId: string): ToolCall | ContentPart {
  return withDifference(wire, isJsonObject(wire) ? readKnownCall(wire, fallbackId) : undefined);
}

/** Reads the `function_call` of an old message, which has no id. */
export function readFunctionCall(wire: JsonObject, id: string): ToolCall | ContentPart {
  const name = nameOf(wire["name"]);
  const text = textOf(wire["arguments"]);
  const isCall = name !== undefined && text !== undefined;
  const extra = { as: "function_call" };
  return withDifference(wire, isCall ? { id, name, arguments: text, extra } : undefined);
}

/** Writes a call as it came; one of another format without what only that format understands. */
export function writeCall(call: ToolCall, isOwn: boolean): JsonObject {
  return patchWire(writeUsualCall(call, isOwn), isOwn ? call.extra : undefined);
}

/** Tells whether a call came as the `function_call` of an old message. */
export function isFunctionCall({ extra }: ToolCall): boolean {
  return extra?.["as"] === "function_call";
}

/** Tells a call from a part. */
export function isToolCall(value: ToolCall | ContentPart): value is ToolCall {
  return "arguments" in value;
}

function readKnownCall(wire: JsonObject, fallbackId: string): ToolCall | undefined {
  const id = nameOf(wire["id"]) ?? fallbackId;
  const { function: ofFunction, custom } = wire;
  if (isJsonObject(ofFunction)) {
    const name = nameOf(ofFunction["name"]);
    const text = textOf(ofFunction["arguments"]);
    return name === undefined || text === undefined ? undefined : { id, name, arguments: text };
  }
  if (!isJsonObject(custom)) return undefined;
  const name = nameOf(custom["name"]);
  const text = textOf(custom["input"]);
  if (name === undefined || text === undefined) return undefined;
  return { id, name, arguments: text, kind: "custom" };
}

function withDifference(wire: JsonValue, call: ToolCall | undefined): ToolCall | ContentPart {
  if (!isJsonObject(wire) || call === undefined) return { type: "opaque", data: wire };
  // Nothing edits a call: what its message says otherwise (no id, no type) may stand in `extra`.
  const difference = wireDifference(writeUsualCall(call, true), wire);
  return difference === undefined ? call : { ...call, extra: { ...call.extra, ...difference } };
}

function writeUsualCall(call: ToolCall, isOwn: boolean): JsonObject {
  const { id, name, arguments: text, kind } = call;
  if (isOwn && isFunctionCall(call)) return { name, arguments: text };
  return kind === "custom"
    ? { id, type: "custom", custom: { name, input: text } }
    : { id, type: "function", function: { name, arguments: text } };
}
