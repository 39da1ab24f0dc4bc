import type { JsonObject, ToolDefinition } from "@agent-history/core";
import {
  invalidTool,
  nameOf,
  refuseForeignTools,
  toJsonObject,
  toolDefinition,
  toolParameters,
} from "@agent-history/format-kit";

/** A tool in the form of Anthropic's SDK: your own, with an `input_schema`, or one of Anthropic's, with a `type`. */
export interface AnthropicTool {
  // The literals keep the types of inline tools narrow, as the SDK requires.
  readonly type?: "custom" | (string & {}) | null;
  readonly name?: "memory" | (string & {});
  readonly mcp_server_name?: string;
  readonly input_schema?: { readonly type: "object" } | object;
}

/**
 * Converts the tools of a request for a token counter. An `input_schema` is a JSON Schema or a library's schema, such as zod's; input examples are counted with it.
 * One of Anthropic's tools counts with its options, a toolset of an MCP server with the tools listed in it, without what only the provider adds.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` on a tool of another shape, and on a schema that is invalid or deeper than 256 levels.
 *
 * @example
 * ```ts
 * import { toToolDefinitions } from "@agent-history/anthropic";
 *
 * const input_schema = { type: "object", properties: { to: { type: "string" } } };
 * toToolDefinitions([{ name: "find", input_schema }]);
 * // => [{ name: "find", parameters: input_schema }]
 * ```
 */
export function toToolDefinitions(tools: readonly AnthropicTool[]): readonly ToolDefinition[] {
  if (!Array.isArray(tools)) throw invalidTool("tools", "a list of tools");
  refuseForeignTools(tools, "anthropic");
  return tools.map((tool: unknown, index) => toDefinition(tool, `tools[${index}]`));
}

function toDefinition(tool: unknown, location: string): ToolDefinition {
  if (typeof tool !== "object" || tool === null) throw invalidTool(location, SHAPES);
  const json = toJsonObject(tool);
  const type = json["type"] ?? "custom";
  if (typeof type !== "string" || type === "") throw invalidTool(location, SHAPES);
  if (type !== "custom") return anthropicsOwn(json, location);
  const name = nameOf(json["name"]);
  const schema = "input_schema" in tool ? tool.input_schema : undefined;
  if (name === undefined || schema === undefined) throw invalidTool(location, SHAPES);
  const parameters = toolParameters(schema, name) ?? {};
  const examples = json["input_examples"] ?? [];
  const hasExamples = !Array.isArray(examples) || examples.length > 0;
  const counted = hasExamples ? { ...parameters, examples } : parameters;
  return toolDefinition(name, json["description"], counted);
}

function anthropicsOwn(tool: JsonObject, location: string): ToolDefinition {
  const { type: _, name, mcp_server_name: server, description, ...options } = tool;
  const known = nameOf(name) ?? nameOf(server) ?? nameOf(tool["type"]);
  if (known === undefined) throw invalidTool(location, SHAPES);
  const { cache_control: _mark, ...parameters } = options;
  const hasOptions = Object.keys(parameters).length > 0;
  return toolDefinition(known, description, hasOptions ? parameters : undefined);
}

const SHAPES = "a tool of Anthropic's: { name, input_schema } or { type, name }";
