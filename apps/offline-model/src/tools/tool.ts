import type { ToolDefinition } from "@agent-history/core";
import type { UnnumberedSource } from "@agent-history/history-manager";

/** What a tool says: words and evidence, or what went wrong. Discriminated by `outcome`. */
export type ToolResult =
  | {
      readonly outcome: "success";
      readonly content: string;
      readonly sources?: readonly UnnumberedSource[];
    }
  | { readonly outcome: "error"; readonly error: string };

/** Something a worker can do. */
export interface Tool {
  readonly definition: ToolDefinition;
  /** Runs a call. Wrong arguments are a result with outcome `error`, for the model to read; it never throws. */
  readonly call: (argumentsJson: string) => ToolResult;
}
