import type { ToolDefinition } from "@agent-history/core";
import { toolParameters } from "@agent-history/format-kit";
import type { ToolSet } from "ai";

/**
 * Returns the tools of an AI SDK call as a token counter takes them: name, description and the JSON Schema of the input. A
 * description that is a function, and a provider's own tools, of which only the provider knows the size, count their name.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` on an input schema that is none, or is deeper than 256 levels: never counted low.
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
export async function toToolDefinitions(tools: ToolSet): Promise<readonly ToolDefinition[]> {
  return Promise.all(
    Object.entries(tools).map(async ([name, tool]) => {
      const { type, description, inputSchema } = tool ?? {};
      const parameters =
        type === "provider" ? undefined : toolParameters(await jsonSchemaOf(inputSchema), name);
      if (type !== "provider" && parameters === undefined) toolParameters(null, name);
      return {
        name,
        ...(typeof description === "string" && { description }),
        ...(parameters !== undefined && { parameters }),
      };
    }),
  );
}

/** What the AI SDK cannot read is looked at as it is. */
async function jsonSchemaOf(inputSchema: ToolSet[string]["inputSchema"]): Promise<unknown> {
  const { asSchema } = await import("ai");
  try {
    return await asSchema(inputSchema).jsonSchema;
  } catch {
    return inputSchema;
  }
}
