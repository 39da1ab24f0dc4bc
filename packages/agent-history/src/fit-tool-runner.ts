import { fitToolRunner as fitWith } from "@agent-history/anthropic";
import type {
  FitToolRunnerOptions as FitWithOptions,
  ToolRunnerLike,
} from "@agent-history/anthropic";

import { reducerParts } from "./internal/reducer-parts.ts";
import type { HookOptions } from "./internal/reducer-parts.ts";

/** Options of {@link fitToolRunner}: the model, and those of `fitToolRunner` of `@agent-history/anthropic`. */
export interface FitToolRunnerOptions
  extends HookOptions, Omit<FitWithOptions, "reducer" | "window"> {}

/**
 * Iterates over the replies of a tool runner of the Anthropic SDK, and trims each of its requests to the model's context window. `system` and the tools are the
 * runner's; the prompt only grows until the window is full.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for an unknown model: pass `window` and `counter`; `WINDOW_TOO_SMALL` if what must be kept does not fit.
 *
 * @example
 * ```ts no-run
 * import { fitToolRunner, type ToolRunnerLike } from "agent-history/anthropic";
 *
 * declare const runner: ToolRunnerLike<{ role: string; content: unknown }>; // client.beta.messages.toolRunner({ … })
 * for await (const message of fitToolRunner(runner, { model: "claude-opus-5-5" })) {
 *   console.log(message.content);
 * }
 * ```
 */
export function fitToolRunner<Item extends object>(
  runner: ToolRunnerLike<Item>,
  options: FitToolRunnerOptions,
): AsyncGenerator<Item, void, undefined> {
  return fitWith(runner, { ...options, ...reducerParts(options) });
}
