import type { HistoryEntry, Reduction, ReductionRequest } from "@agent-history/core";
import { checkFitOptions, fitForTarget, sendingWith, viewerOf } from "@agent-history/format-kit";
import type { TargetFormat } from "@agent-history/format-kit";

import type { FitContentsOptions } from "../fit-contents.ts";
import type { FromContentsOptions } from "../from-contents.ts";
import { toToolDefinitions } from "../to-tool-definitions.ts";

/** Fits what a request of Google's sends, read as entries with its instruction. */
export function fitGoogle(
  read: (options: FromContentsOptions) => readonly HistoryEntry[],
  target: TargetFormat,
  options: FitContentsOptions,
): Reduction | Promise<Reduction> {
  const { reducer, window, tools, systemInstruction, agent, view } = checkFitOptions(options);
  const { previousPlan, signal, repair } = options;
  const entries = read({
    ...(systemInstruction !== undefined && { systemInstruction }),
    ...(agent !== undefined && { agent }),
  });
  const definitions = tools && toToolDefinitions(tools);
  const viewer = viewerOf(agent);
  const asked = { window, viewer, view, tools: definitions, previousPlan, signal, repair };
  const reduce = (all: typeof entries, request: ReductionRequest) => reducer.reduce(all, request);
  return fitForTarget(sendingWith(target, { tools }), entries, asked, reduce);
}
