import { HistoryError } from "@agent-history/core";
import type { JsonObject, JsonValue, ToolDefinition } from "@agent-history/core";

import { isJsonObject, toJson } from "./json.ts";

/** Maximum depth of a schema. */
const MAX_DEPTH = 256;

/**
 * Returns a tool's parameters as JSON Schema, for a token counter. Accepts a JSON Schema, a library's schema with `toJSONSchema` or
 * Standard Schema's `jsonSchema`, and an object with a schema in `jsonSchema`. `undefined` (a tool without parameters) stays `undefined`.
 *
 * @param tool - The tool's name, for the error.
 * @throws `HistoryError` with code `INVALID_OPTION` on anything else, and on a schema that is cyclic or deeper than 256 levels: counted as
 * zero, it could overflow the request.
 *
 * @example
 * ```ts
 * import { toolParameters } from "@agent-history/format-kit";
 *
 * toolParameters({ toJSONSchema: () => ({ type: "object" }) }, "find");
 * // => { type: "object" }
 * ```
 */
export function toolParameters(schema: unknown, tool: string): JsonObject | undefined {
  if (schema === undefined) return undefined;
  const found = schemaOf(schema);
  // zod's JSON Schema output also has `~standard`; a Standard Schema without a converter is not a JSON Schema.
  const invalid = (expected: string): HistoryError =>
    invalidTool(`parameters of the tool ${tool}`, expected);
  const isUnread = found === schema && isObject(found) && "~standard" in found;
  if (!isObject(found) || Array.isArray(found) || isUnread) {
    throw invalid("a JSON Schema, or a schema that gives one");
  }
  if (!isShallow(found, MAX_DEPTH)) {
    throw invalid(`a JSON Schema of at most ${MAX_DEPTH} levels, without cycles`);
  }
  const json: JsonValue = toJson(found);
  if (!isJsonObject(json)) throw invalid("a JSON Schema");
  return json;
}

/** Returns a tool as a token counter expects it; a description that is not text is left out. */
export function toolDefinition(
  name: string,
  description: unknown,
  parameters: JsonObject | undefined,
): ToolDefinition {
  return {
    name,
    ...(typeof description === "string" && { description }),
    ...(parameters !== undefined && { parameters }),
  };
}

/** Returns the error for an invalid list of tools, or a tool of an unknown format. */
export function invalidTool(what: string, expected: string): HistoryError {
  return new HistoryError(`Expected \`${what}\` to be ${expected}.`, {
    code: "INVALID_OPTION",
    details: { option: "tools" },
  });
}

function schemaOf(schema: unknown): unknown {
  if (!isObject(schema) && typeof schema !== "function") return undefined;
  if ("toJSONSchema" in schema && typeof schema.toJSONSchema === "function") {
    return schema.toJSONSchema();
  }
  const standard = "~standard" in schema ? schema["~standard"] : undefined;
  const converter =
    isObject(standard) && "jsonSchema" in standard ? standard.jsonSchema : undefined;
  if (isObject(converter) && "input" in converter && typeof converter.input === "function") {
    return converter.input({ target: "draft-2020-12" });
  }
  return "jsonSchema" in schema ? schema.jsonSchema : schema;
}

/** A field that throws counts as too deep. */
function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  try {
    return levels > 0 && Object.values(value).every((field) => isShallow(field, levels - 1));
  } catch {
    return false;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
