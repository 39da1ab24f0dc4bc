import type { ToolDefinition } from "@agent-history/core";
import type { RepairOption } from "@agent-history/format-kit";
import type { FitOptions } from "@agent-history/reducer";

import type { FitRequestOptions } from "../fit-request-options.ts";
import { modelParts } from "./model-parts.ts";

/** Returns the options of `fitToWindow` for a request. */
export function fitOptionsOf(
  { model, window, counter, estimate, ...options }: FitRequestOptions,
  tools: readonly ToolDefinition[] | undefined,
): FitOptions & RepairOption {
  return { ...options, tools, ...modelParts({ model, window, counter, estimate }) };
}
