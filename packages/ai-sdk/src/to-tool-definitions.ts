import { HistoryError } from "@agent-history/core";
import type { ToolDefinition } from "@agent-history/core";
import { invalidTool, toJson, toolDefinition, toolParameters } from "@agent-history/format-kit";
import type { ToolSet } from "ai";

import { loadAi } from "./internal/load-ai.ts";

/** Options of {@link toToolDefinitions}. */
export interface ToolDefinitionOptions {
  /** The `toolsContext` of the call, passed to descriptions that are functions. Default: none. */
  readonly toolsContext?: object | undefined;
}

/**
 * Converts the tools of an AI SDK call for a token counter: name, description, and the JSON Schema of the input with its examples. A
 * description that is a function is called with its tool's context. A provider's own tool counts its arguments; the text that the provider adds is unknown.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for a tool of an unknown shape, a description that needs a missing context, and an input schema that is invalid or
 * deeper than 256 levels, so that tokens are never undercounted. `fitMiddleware` counts descriptions as they are sent.
 *
 * @example
 * ```ts
 * import { toToolDefinitions } from "@agent-history/ai-sdk";
 * import * as z from "zod";
 *
 * const find = {
 *   description: "Finds flights.",
 *   inputSchema: z.object({ to: z.string() }),
 *   execute: ({ to }: { to: string }) => `Two flights to ${to}.`,
 * };
 * const [definition] = await toToolDefinitions({ find });
 * `${definition?.name}: ${definition?.description}`;
 * // => "find: Finds flights."
 * ```
 */
export async function toToolDefinitions(
  tools: ToolSet,
  { toolsContext }: ToolDefinitionOptions = {},
): Promise<readonly ToolDefinition[]> {
  const { asSchema } = await loadAi();
  const read = async (tool: ToolSet[string]): Promise<unknown> =>
    asSchema(tool.inputSchema).jsonSchema;
  return Promise.all(
    toolsOf(tools).map(async ([name, tool]) => {
      // If the AI SDK cannot read the schema, use it as it is.
      const schema = await read(tool).catch((): unknown => tool?.inputSchema);
      return describeTool({ name, tool, schema, context: contextOf(toolsContext, name) });
    }),
  );
}

/**
 * Like {@link toToolDefinitions}, but synchronous and without the AI SDK.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` also for an input schema that can be converted to JSON Schema only asynchronously or by the AI SDK, e.g. a
 * schema of zod 3 or of a library without JSON Schema.
 */
export function toToolDefinitionsSync(
  tools: ToolSet,
  { toolsContext }: ToolDefinitionOptions = {},
): readonly ToolDefinition[] {
  return toolsOf(tools).map(([name, tool]) => {
    const schema = jsonSchemaOf(tool?.inputSchema, name);
    return describeTool({ name, tool, schema, context: contextOf(toolsContext, name) });
  });
}

/** Returns the context of a tool; an empty object if the call passes none. */
function contextOf(contexts: object | undefined, name: string): unknown {
  const own = Object.entries(contexts ?? {}).find(([key]) => key === name);
  return own === undefined ? {} : own[1];
}

function toolsOf(tools: ToolSet): readonly (readonly [string, ToolSet[string]])[] {
  if (typeof tools === "object" && !Array.isArray(tools)) return Object.entries(tools);
  throw invalidTool("tools", "a record of tools");
}

/** The fields of a tool or a schema of unknown shape. */
type Fields = Readonly<Record<string, unknown>>;

/** Reads an input schema as the AI SDK does: its own schema, a Standard Schema, or a function that returns one. */
function jsonSchemaOf(schema: unknown, tool: string): unknown {
  const made: unknown = typeof schema === "function" ? schema() : schema;
  if (made === undefined || made === null) return { type: "object", properties: {} };
  const { "~standard": standard, jsonSchema: found = made }: Fields = Object(made);
  const { jsonSchema: converter }: Fields = Object(standard);
  const { input }: Fields = Object(converter);
  if (typeof input === "function") return input.call(converter, { target: "draft-07" });
  if (typeof found !== "object" || found === null || !("then" in found)) return found;
  throw invalid(tool, "to have a synchronous schema, got a promise; use the asynchronous function");
}

/** Types of tools that define their own input schema. */
const OWN: ReadonlySet<unknown> = new Set([undefined, "function", "dynamic"]);

/** A tool and the inputs of its description. */
interface ToolToDescribe {
  readonly name: string;
  readonly tool: unknown;
  /** The input schema as JSON Schema, or a value that converts to it. */
  readonly schema: unknown;
  readonly context?: unknown;
}

/**
 * Converts a tool of a call or of a model request for a token counter. A provider's own tool counts its arguments.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for an unknown shape, so that tokens are never undercounted.
 */
export function describeTool({ name, tool, schema, context }: ToolToDescribe): ToolDefinition {
  if (typeof tool !== "object" || tool === null) throw invalid(name, "to be a tool of the AI SDK");
  const { type, args, description, inputExamples }: Fields = Object(tool);
  if (type === "provider") {
    const given = toolParameters(args, name) ?? {};
    return toolDefinition(name, undefined, Object.keys(given).length > 0 ? given : undefined);
  }
  if (!OWN.has(type)) throw invalid(name, "to be of a type of the AI SDK");
  const text = descriptionOf(description, context, name);
  const parameters = toolParameters(schema ?? null, name) ?? {};
  const examples = toJson(inputExamples ?? []);
  const hasExamples = !Array.isArray(examples) || examples.length > 0;
  return toolDefinition(name, text, hasExamples ? { ...parameters, examples } : parameters);
}

function descriptionOf(given: unknown, context: unknown, name: string): string | undefined {
  let text = given;
  try {
    if (typeof given === "function") text = given({ context });
  } catch (cause) {
    throw invalid(name, "to have the context that its description needs, in `toolsContext`", cause);
  }
  if (typeof text === "string") return text;
  if (text === undefined || text === null) return undefined;
  throw invalid(name, "to have a string as its description");
}

function invalid(name: string, expected: string, cause?: unknown): HistoryError {
  return new HistoryError(`Expected the tool ${JSON.stringify(name)} ${expected}.`, {
    code: "INVALID_OPTION",
    details: { option: "tools" },
    ...(cause !== undefined && { cause }),
  });
}
