import type { JsonValue, ToolDefinition } from "@agent-history/core";
import {
  invalidTool,
  isJsonObject,
  nameOf,
  refuseForeignTools,
  toJsonObject,
  toolDefinition,
  toolParameters,
} from "@agent-history/format-kit";

/**
 * Converts the tools of a request, in the form of Google's SDK, for a token counter: each declared function with its schema (`parametersJsonSchema` or `parameters`),
 * and each tool with `type: "function"` of the Interactions API. One of Google's tools counts with its options.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` on a tool of another shape, and on a schema that is invalid or deeper than 256 levels.
 *
 * @example
 * ```ts
 * import { toToolDefinitions } from "@agent-history/google";
 *
 * const parametersJsonSchema = { type: "object", properties: { to: { type: "string" } } };
 * toToolDefinitions([{ functionDeclarations: [{ name: "find", parametersJsonSchema }] }]);
 * // => [{ name: "find", parameters: parametersJsonSchema }]
 * ```
 */
export function toToolDefinitions(tools: readonly object[]): readonly ToolDefinition[] {
  if (!Array.isArray(tools)) throw invalidTool("tools", "a list of tools");
  refuseForeignTools(tools, "google", "openai-responses");
  return tools.flatMap((tool: unknown, index): readonly ToolDefinition[] => {
    if (typeof tool !== "object" || tool === null) throw invalidTool(`tools[${index}]`, SHAPES);
    const json = toJsonObject(tool);
    if (json["type"] === "function") return [definitionOf(json, `tools[${index}]`)];
    const { functionDeclarations: declared = [], type, ...own } = json;
    if (!Array.isArray(declared)) throw invalidTool(`tools[${index}]`, SHAPES);
    const owns =
      typeof type === "string"
        ? [ownTool(type, own)]
        : Object.entries(own).map(([name, options]) => ownTool(name, options));
    return [
      ...declared.map((one: unknown, at) =>
        definitionOf(one, `tools[${index}].functionDeclarations[${at}]`),
      ),
      ...owns,
    ];
  });
}

/** One of Google's tools counts with its options. */
function ownTool(name: string, options: JsonValue): ToolDefinition {
  const hasOptions = isJsonObject(options) && Object.keys(options).length > 0;
  return toolDefinition(name, undefined, hasOptions ? options : undefined);
}

function definitionOf(declared: unknown, location: string): ToolDefinition {
  const json = typeof declared === "object" && declared !== null ? toJsonObject(declared) : {};
  const name = nameOf(json["name"]);
  if (name === undefined) throw invalidTool(location, SHAPES);
  const schema = json["parametersJsonSchema"] ?? json["parameters"] ?? undefined;
  return toolDefinition(name, json["description"], toolParameters(schema, name));
}

const SHAPES = "a tool: { functionDeclarations } or one of Google's own";
