import { HistoryError } from "@agent-history/core";
import type { JsonObject, ToolDefinition } from "@agent-history/core";
import { toJson, toolParameters } from "@agent-history/format-kit";

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
