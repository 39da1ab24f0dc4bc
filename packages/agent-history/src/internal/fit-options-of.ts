import { HistoryError } from "@agent-history/core";
import type { ToolDefinition } from "@agent-history/core";
import type { RepairOption } from "@agent-history/format-kit";
import type { FitOptions } from "@agent-history/reducer";

import type { FitRequestOptions } from "../fit-request-options.ts";
import { modelParts } from "./model-parts.ts";

/**
 * Returns options that were given.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if there are none.
 */
export function requireOptions<Options extends object>(options: Options): Options {
  const given: unknown = options;
  if (typeof given === "object" && given !== null) return options;
  throw new HistoryError("Expected options, such as { model }.", {
    code: "INVALID_OPTION",
    details: { option: "options" },
  });
}

/** Returns the options of `fitToWindow` for a request. */
export function fitOptionsOf(
  { model, window, counter, estimate, ...options }: FitRequestOptions,
  tools: readonly ToolDefinition[] | undefined,
): FitOptions & RepairOption {
  return { ...options, tools, ...modelParts({ model, window, counter, estimate }) };
}
