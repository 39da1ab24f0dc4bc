import type { ToolDefinition } from "@agent-history/core";
import {
  invalidTool,
  isJsonObject,
  nameOf,
  toJson,
  toolDefinition,
  toolParameters,
} from "@agent-history/format-kit";

import { fieldOf, isObject } from "./internal/message-fields.ts";

/**
 * Converts the tools of a request for a token counter: LangChain's own (`tool(…)`), and those in providers' shapes, such as OpenAI's
 * `{ type: "function", function }`. A schema is JSON Schema, or an object that converts to it, such as zod 4's. Of a provider's own tool only its options count; the text that
 * the provider adds is unknown.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for a tool of an unknown shape, and for a schema without JSON Schema, such as zod 3's: in an agent,
 * `fitMiddleware` lets the model convert it.
 *
 * @example
 * ```ts
 * import { toToolDefinitions } from "@agent-history/langchain";
 *
 * const schema = { type: "object", properties: { to: { type: "string" } } };
 * toToolDefinitions([{ name: "find", description: "Finds flights.", schema }]);
 * // => [{ name: "find", description: "Finds flights.", parameters: schema }]
 * ```
 */
export function toToolDefinitions(tools: readonly object[]): readonly ToolDefinition[] {
  if (!Array.isArray(tools)) throw invalidTool("tools", "a list of tools");
  return tools.map((tool, index) => toDefinition(tool, index));
}

function toDefinition(tool: unknown, index: number): ToolDefinition {
  if (!isObject(tool)) throw invalidTool(`tools[${index}]`, SHAPES);
  const inner = fieldOf(tool, "type") === "function" ? fieldOf(tool, "function") : undefined;
  const own = isObject(inner) ? inner : tool;
  const name = fieldOf(own, "name");
  const given =
    fieldOf(own, "schema") ??
    fieldOf(own, "parameters") ??
    fieldOf(own, "input_schema") ??
    undefined;
  if (given === undefined && own === tool) return providersOwn(tool, index);
  if (typeof name !== "string" || name === "") throw invalidTool(`tools[${index}]`, SHAPES);
  return toolDefinition(name, fieldOf(own, "description"), toolParameters(given, name));
}

function providersOwn(tool: object, index: number): ToolDefinition {
  const json = toJson(tool);
  const { type, name, description, ...options } = isJsonObject(json) ? json : {};
  const called = nameOf(name) ?? nameOf(type) ?? Object.keys(options)[0];
  if (called === undefined) throw invalidTool(`tools[${index}]`, SHAPES);
  const hasOptions = Object.keys(options).length > 0;
  return toolDefinition(called, description, hasOptions ? options : undefined);
}

const SHAPES =
  "a tool of LangChain's or of a provider's: { name, schema } or { type: \"function\", function: { name, parameters } }";
