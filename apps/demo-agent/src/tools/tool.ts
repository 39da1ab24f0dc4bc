import type { Outcome, Source, ToolDefinition } from "@agent-history/core";

/** What a tool says: words, and evidence with thread-wide numbers. */
export interface ToolResult {
  readonly outcome: Outcome;
  readonly content: string;
  readonly sources?: readonly Source[];
}

/** Something a worker can do. */
export interface Tool {
  readonly definition: ToolDefinition;
  /** Runs a call. Wrong arguments are a result with outcome `error`, for the model to read; it never throws. */
  readonly call: (argumentsJson: string) => ToolResult;
}
