import type { JsonObject, ToolDefinition } from "@agent-history/core";
import { toJsonObject } from "@agent-history/format-kit";
import type { ToolSet } from "ai";

/**
 * Gives the tools of an AI SDK call as a token counter takes them: name, description and the JSON Schema of the input. A
 * description that is a function, and a provider's own tools, of which only the provider knows the size, count their name.
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
  const { asSchema } = await import("ai");
  return Promise.all(
    Object.entries(tools).map(async ([name, { type, description, inputSchema }]) => {
      const parameters: JsonObject | undefined =
        type === "provider" ? undefined : toJsonObject(await asSchema(inputSchema).jsonSchema);
      return {
        name,
        ...(typeof description === "string" && { description }),
        ...(parameters !== undefined && { parameters }),
      };
    }),
  );
}
