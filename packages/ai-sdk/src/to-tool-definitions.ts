import { HistoryError } from "@agent-history/core";
import type { JsonObject, ToolDefinition } from "@agent-history/core";
import { toJson, toolParameters } from "@agent-history/format-kit";
import type { ToolSet } from "ai";

import { loadAi } from "./internal/load-ai.ts";

/** What tools are described by. */
export interface ToolDefinitionOptions {
  /** The `toolsContext` of the call: descriptions that are functions are made of it. Default: none. */
  readonly toolsContext?: object | undefined;
}

/**
 * Returns the tools of an AI SDK call as a token counter takes them: name, description, and the JSON Schema of the input with its examples. A
 * description that is a function is what it gives for its tool's context. A provider's own tool counts its arguments; what the provider adds only it knows.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` on a tool of another shape, a description that needs a context which is not there, and an input schema that is none, or is
 * deeper than 256 levels: never counted low. `fitMiddleware` counts descriptions as they are sent.
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
  const schemaOf = async (schema: InputSchema): Promise<unknown> => {
    try {
      return await asSchema(schema).jsonSchema;
    } catch {
      // What the AI SDK cannot read is looked at as it is.
      return schema;
    }
  };
  return Promise.all(
    toolsOf(tools).map(async ([name, tool]) => {
      const schema = isProviders(tool) ? undefined : await schemaOf(tool?.inputSchema);
      return describeTool({ name, tool, schema, context: contextOf(toolsContext, name) });
    }),
  );
}

/**
 * Like {@link toToolDefinitions}, at once and without the AI SDK.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` also on an input schema that gives its JSON Schema asynchronously, or only through the AI SDK: a
 * schema of zod 3, of a library without JSON Schema.
 */
export function toToolDefinitionsSync(
  tools: ToolSet,
  { toolsContext }: ToolDefinitionOptions = {},
): readonly ToolDefinition[] {
  return toolsOf(tools).map(([name, tool]) => {
    const schema = isProviders(tool) ? undefined : jsonSchemaOf(tool?.inputSchema, name);
    return describeTool({ name, tool, schema, context: contextOf(toolsContext, name) });
  });
}

type InputSchema = ToolSet[string]["inputSchema"];

/** What a tool that the call gives no context has: none of its fields. */
function contextOf(contexts: object | undefined, name: string): unknown {
  const own = Object.entries(contexts ?? {}).find(([key]) => key === name);
  return own === undefined ? {} : own[1];
}

function toolsOf(tools: ToolSet): readonly (readonly [string, ToolSet[string]])[] {
  if (typeof tools === "object" && !Array.isArray(tools)) return Object.entries(tools);
  throw new HistoryError("Expected `tools` to be a record of tools.", {
    code: "INVALID_OPTION",
    details: { option: "tools" },
  });
}

function isProviders(tool: ToolSet[string] | undefined): boolean {
  return tool?.type === "provider";
}

/** Reads an input schema as the AI SDK does: its own, a Standard Schema, or what makes one. */
function jsonSchemaOf(schema: unknown, tool: string): unknown {
  const made: unknown = typeof schema === "function" ? schema() : schema;
  if (made === undefined || made === null) return { type: "object", properties: {} };
  if (typeof made !== "object") return made;
  const standard = "~standard" in made ? made["~standard"] : undefined;
  if (typeof standard === "object" && standard !== null && "jsonSchema" in standard) {
    const { jsonSchema: converter } = standard;
    if (isConverter(converter)) return converter.input({ target: "draft-07" });
  }
  const found = "jsonSchema" in made ? made.jsonSchema : made;
  if (typeof found !== "object" || found === null || !("then" in found)) return found;
  throw new HistoryError(
    `Expected the input schema of the tool ${JSON.stringify(tool)} to be there at once; got a promise. Use the asynchronous function.`,
    { code: "INVALID_OPTION", details: { option: "tools" } },
  );
}

function isConverter(
  converter: unknown,
): converter is { readonly input: (options: { readonly target: string }) => unknown } {
  if (typeof converter !== "object" || converter === null || !("input" in converter)) return false;
  return typeof converter.input === "function";
}

/** Kinds of tools whose input schema is their own. */
const OWN: ReadonlySet<unknown> = new Set([undefined, "function", "dynamic"]);

/** A tool, and what its description is made of. */
interface ToolToDescribe {
  readonly name: string;
  readonly tool: unknown;
  /** Its input schema as JSON Schema, or what gives one. */
  readonly schema: unknown;
  readonly context?: unknown;
}

/**
 * Returns a tool of a call, or of a request to a model, as a token counter takes it. A provider's own counts its arguments.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` on another shape: never counted low.
 */
export function describeTool({ name, tool, schema, context }: ToolToDescribe): ToolDefinition {
  if (typeof tool !== "object" || tool === null) throw invalid(name, "to be a tool of the AI SDK");
  const { type, args, description, inputExamples }: ToolFields = tool;
  if (type === "provider") {
    const given = toolParameters(args, name) ?? {};
    return { name, ...(Object.keys(given).length > 0 && { parameters: given }) };
  }
  if (!OWN.has(type)) throw invalid(name, "to be of a type of the AI SDK");
  const text = textOf(
    typeof description === "function" ? () => description({ context }) : description,
    name,
  );
  return {
    name,
    ...(text !== undefined && { description: text }),
    parameters: withExamples(toolParameters(schema ?? null, name) ?? {}, inputExamples),
  };
}

interface ToolFields {
  readonly type?: unknown;
  readonly args?: unknown;
  readonly description?: unknown;
  readonly inputExamples?: unknown;
}

function withExamples(parameters: JsonObject, given: unknown): JsonObject {
  if (given === undefined || given === null) return parameters;
  if (Array.isArray(given) && given.length === 0) return parameters;
  return { ...parameters, examples: toJson(given) };
}

function textOf(description: unknown, name: string): string | undefined {
  if (description === undefined || description === null) return undefined;
  const text: unknown =
    typeof description === "function" ? resolved(description, name) : description;
  if (typeof text === "string") return text;
  throw invalid(name, "to have a text as its description");
}

function resolved(describe: Function, name: string): unknown {
  try {
    return describe();
  } catch (cause) {
    throw invalid(name, "to have the context that its description needs, in `toolsContext`", cause);
  }
}

function invalid(name: string, expected: string, cause?: unknown): HistoryError {
  return new HistoryError(`Expected the tool ${JSON.stringify(name)} ${expected}.`, {
    code: "INVALID_OPTION",
    details: { option: "tools" },
    ...(cause !== undefined && { cause }),
  });
}
