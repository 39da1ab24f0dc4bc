import { HistoryError } from "@agent-history/core";
import type { JsonObject, ToolDefinition } from "@agent-history/core";
import { toJson, toolDefinition, toolParameters } from "@agent-history/format-kit";
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
  return Promise.all(
    toolsOf(tools).map(async ([name, tool]) => {
      // What the AI SDK cannot read is looked at as it is.
      const schema = await schemaBy(asSchema, tool).catch((): unknown => tool?.inputSchema);
      return describeTool({ name, tool, schema, context: contextOf(toolsContext, name) });
    }),
  );
}

async function schemaBy(
  asSchema: Awaited<ReturnType<typeof loadAi>>["asSchema"],
  tool: ToolSet[string],
): Promise<unknown> {
  return asSchema(tool.inputSchema).jsonSchema;
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
    const schema = jsonSchemaOf(tool?.inputSchema, name);
    return describeTool({ name, tool, schema, context: contextOf(toolsContext, name) });
  });
}

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

/** What the AI SDK looks at of an input schema. */
interface SchemaFields {
  readonly "~standard"?: {
    readonly jsonSchema?: { readonly input?: (options: { readonly target: string }) => unknown };
  };
  readonly jsonSchema?: unknown;
}

/** Reads an input schema as the AI SDK does: its own, a Standard Schema, or what makes one. */
function jsonSchemaOf(schema: unknown, tool: string): unknown {
  const made: unknown = typeof schema === "function" ? schema() : schema;
  if (made === undefined || made === null) return { type: "object", properties: {} };
  const { "~standard": standard, jsonSchema: found = made }: SchemaFields = Object(made);
  if (typeof standard?.jsonSchema?.input === "function") {
    return standard.jsonSchema.input({ target: "draft-07" });
  }
  if (typeof found !== "object" || found === null || !("then" in found)) return found;
  throw new HistoryError(
    `Expected the input schema of the tool ${JSON.stringify(tool)} to be there at once; got a promise. Use the asynchronous function.`,
    { code: "INVALID_OPTION", details: { option: "tools" } },
  );
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
    return toolDefinition(name, undefined, Object.keys(given).length > 0 ? given : undefined);
  }
  if (!OWN.has(type)) throw invalid(name, "to be of a type of the AI SDK");
  const text = descriptionOf(description, context, name);
  const parameters = toolParameters(schema ?? null, name) ?? {};
  return toolDefinition(name, text, withExamples(parameters, inputExamples));
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

function descriptionOf(given: unknown, context: unknown, name: string): string | undefined {
  let text = given;
  try {
    if (typeof given === "function") text = given({ context });
  } catch (cause) {
    throw invalid(name, "to have the context that its description needs, in `toolsContext`", cause);
  }
  if (typeof text === "string") return text;
  if (text === undefined || text === null) return undefined;
  throw invalid(name, "to have a text as its description");
}

function invalid(name: string, expected: string, cause?: unknown): HistoryError {
  return new HistoryError(`Expected the tool ${JSON.stringify(name)} ${expected}.`, {
    code: "INVALID_OPTION",
    details: { option: "tools" },
    ...(cause !== undefined && { cause }),
  });
}
