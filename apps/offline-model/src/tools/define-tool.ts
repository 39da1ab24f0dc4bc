import type { JsonObject } from "@agent-history/core";
import * as z from "zod";

import type { Tool, ToolResult } from "./tool.ts";

/** What {@link defineTool} makes a tool of. */
export interface ToolPlan<Arguments> {
  readonly name: string;
  readonly description: string;
  /** One schema: sent to the model, and used to validate its arguments. */
  readonly schema: z.ZodType<Arguments>;
  readonly run: (args: Arguments) => ToolResult;
}

/** Makes a tool that checks its arguments before it runs. */
export function defineTool<Arguments>(plan: ToolPlan<Arguments>): Tool {
  const { name, description, schema, run } = plan;
  return {
    definition: { name, description, parameters: jsonSchema(schema) },
    call: (argumentsJson) => {
      const value = parseJson(argumentsJson);
      if (value === undefined)
        return failure(`Expected the arguments of ${name} to be a JSON object.`);
      const parsed = schema.safeParse(value);
      return parsed.success ? run(parsed.data) : failure(describeIssues(name, parsed.error));
    },
  };
}

/** A result that tells the model what to do better. */
export function failure(error: string): ToolResult {
  return { outcome: "error", error };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function describeIssues(name: string, error: z.ZodError): string {
  const issues = error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join(".")}: ${message}`,
  );
  return `Wrong arguments of ${name}. ${issues.join("; ")}`;
}

function jsonSchema(schema: z.ZodType): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input" });
  const plain: JsonObject = JSON.parse(JSON.stringify(rest));
  return plain;
}
