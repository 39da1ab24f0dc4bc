import type { ToolDefinition } from "@agent-history/core";
import {
  invalidTool,
  isJsonObject,
  nameOf,
  refuseForeignTools,
  toJson,
  toolDefinition,
  toolParameters,
} from "@agent-history/format-kit";

/** A tool in the form of OpenAI's SDK: for chat completions or the Responses API, custom, or built-in. */
export type OpenAITool = TypedTool | (TypedTool & { readonly [field: string]: unknown });

interface TypedTool {
  readonly type: string;
}

/**
 * Converts the tools of a request for a token counter. A function's `parameters` are a JSON Schema or a library's schema, such as
 * zod's. A custom tool counts with its format, a built-in tool with its options, without what only the provider adds to it.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` on a tool of another shape, and on parameters that are not a schema or are deeper than 256 levels.
 *
 * @example
 * ```ts
 * import { toToolDefinitions } from "@agent-history/openai";
 *
 * const parameters = { type: "object", properties: { to: { type: "string" } } };
 * const tools = [{ type: "function", function: { name: "find", parameters } }];
 * toToolDefinitions(tools);
 * // => [{ name: "find", parameters }]
 * ```
 */
export function toToolDefinitions(tools: readonly OpenAITool[]): readonly ToolDefinition[] {
  if (!Array.isArray(tools)) throw invalidTool("tools", "a list of tools");
  refuseForeignTools(tools, "openai-chat", "openai-responses");
  return tools.map((tool, index) => toDefinition(tool, index));
}

function toDefinition(tool: unknown, index: number): ToolDefinition {
  const fields = fieldsOf(tool);
  const { type } = fields;
  if (typeof type !== "string" || type === "") throw invalidTool(`tools[${index}]`, SHAPES);
  if (type !== "function" && type !== "custom") return providersOwn(type, tool);
  const { [type]: inner } = fields;
  const own = inner === undefined ? fields : fieldsOf(inner);
  const name = own["name"];
  if (typeof name !== "string" || name === "") throw invalidTool(`tools[${index}]`, SHAPES);
  const given = type === "custom" ? own["format"] : own["parameters"];
  return toolDefinition(name, own["description"], toolParameters(given ?? undefined, name));
}

function providersOwn(type: string, tool: unknown): ToolDefinition {
  const json = toJson(tool);
  const { type: _, name, description, ...options } = isJsonObject(json) ? json : {};
  const hasOptions = Object.keys(options).length > 0;
  return toolDefinition(nameOf(name) ?? type, description, hasOptions ? options : undefined);
}

function fieldsOf(value: unknown): { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value))
    : {};
}

const SHAPES =
  'a tool of OpenAI\'s: { type: "function", function: { name, parameters } } or { type: "function", name, parameters }';
