import type { ToolHandler } from "@agent-history/core";
import type { ToolSet } from "ai";

import { loadAi } from "./internal/load-ai.ts";

/**
 * Converts tool handlers, such as `recallTools` of `@agent-history/history-manager`, to an AI SDK tool set for `generateText`, `streamText` and agents.
 *
 * @example
 * ```ts
 * import { toToolSet } from "@agent-history/ai-sdk";
 *
 * const run = async (input: unknown) => ({ outcome: "success" as const, content: `got ${input}`, sources: [] });
 * const { echo } = await toToolSet([{ name: "echo", description: "Echoes.", run }]);
 * await echo?.execute?.("this", { toolCallId: "call-1", messages: [], context: {} });
 * // => "got this"
 * ```
 */
export async function toToolSet(handlers: readonly ToolHandler[]): Promise<ToolSet> {
  const { dynamicTool, jsonSchema } = await loadAi();
  return Object.fromEntries(
    handlers.map(({ name, description, parameters = { type: "object" }, run }) => [
      name,
      dynamicTool({
        ...(description !== undefined && { description }),
        inputSchema: jsonSchema(JSON.parse(JSON.stringify(parameters))),
        execute: async (input, { abortSignal }) => {
          const { content } = await run(input, abortSignal && { signal: abortSignal });
          return content;
        },
      }),
    ]),
  );
}
