import type {
  HistoryEntry,
  Reduction,
  ReductionRequest,
  ToolDefinition,
} from "@agent-history/core";
import { fitForTarget, sendingWith, viewerOf } from "@agent-history/format-kit";
import type { TargetFormat } from "@agent-history/format-kit";

import type { FitContentsOptions } from "../fit-contents.ts";
import type { FromContentsOptions } from "../from-contents.ts";
import { toToolDefinitions } from "../to-tool-definitions.ts";

/** What a request of Google's sends, read as entries with its instruction, and how it is written. */
export interface GoogleRequestRead {
  readonly target: TargetFormat;
  readonly entries: readonly HistoryEntry[];
  readonly tools: readonly ToolDefinition[] | undefined;
}

/** Reads what a request sends. */
export function readGoogle(
  read: (options: FromContentsOptions) => readonly HistoryEntry[],
  target: TargetFormat,
  { tools, systemInstruction, agent }: Omit<FitContentsOptions, "reducer" | "window">,
): GoogleRequestRead {
  const entries = read({
    ...(systemInstruction !== undefined && { systemInstruction }),
    ...(agent !== undefined && { agent }),
  });
  return {
    target: sendingWith(target, { tools }),
    entries,
    tools: tools && toToolDefinitions(tools),
  };
}

/** Fits what a request sends. */
export function fitGoogle(
  { target, entries, tools }: GoogleRequestRead,
  { reducer, window, agent, view, previousPlan, signal, repair }: FitContentsOptions,
): Reduction | Promise<Reduction> {
  const viewer = viewerOf(agent);
  const asked = { window, viewer, view, tools, previousPlan, signal, repair };
  const reduce = (all: typeof entries, request: ReductionRequest) => reducer.reduce(all, request);
  return fitForTarget(target, entries, asked, reduce);
}
