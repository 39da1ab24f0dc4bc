import type { Source } from "./history-entry.ts";
import type { JsonObject } from "./json.ts";

/** A tool definition. */
export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of its arguments. */
  readonly parameters?: JsonObject;
}

/** A ready-made tool: its description for the model, and the function that answers its calls. Formats convert it to a tool of their SDK. */
export interface ToolHandler extends ToolDefinition {
  /**
   * Answers one call.
   *
   * @param input - The arguments as the model wrote them: JSON text or the parsed value. Invalid arguments are answered with `error`, never thrown.
   */
  readonly run: (
    input: unknown,
    options?: { readonly signal?: AbortSignal },
  ) => Promise<ToolAnswer>;
}

/** A tool's result, as the model reads it. */
export interface ToolAnswer {
  readonly outcome: "success" | "error";
  /** The whole answer, with its sources rendered in it. */
  readonly content: string;
  /** The evidence in `content`, for user interfaces. */
  readonly sources: readonly Source[];
}
