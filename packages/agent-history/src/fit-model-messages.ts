import {
  fromModelMessages,
  modelTarget,
  toModelMessages,
  toToolDefinitions,
  toToolDefinitionsSync,
} from "@agent-history/ai-sdk";
import type { Instructions } from "@agent-history/ai-sdk";
import type { ReductionPlan } from "@agent-history/core";
import { fitForTarget, refuseForeign } from "@agent-history/format-kit";
import { fitToWindow, fitToWindowAsync } from "@agent-history/reducer";
import type { ModelMessage, ToolSet } from "ai";

import type { FitRequestOptions } from "./fit-request-options.ts";
import { fitOptionsOf, requireOptions } from "./internal/fit-options-of.ts";

/** Options of {@link fitModelMessages}. */
export interface FitModelMessagesOptions extends FitRequestOptions {
  /** The `instructions` of the call, which sends them itself: they count. */
  readonly instructions?: Instructions | undefined;
  /** The `tools` of the call: their schemas count. */
  readonly tools?: ToolSet | undefined;
  /** The `toolsContext` of the call: descriptions of tools that are functions count as it makes them. */
  readonly toolsContext?: object | undefined;
}

/** What to send, and the plan for the next call. */
export interface FittedModelMessages {
  readonly messages: ModelMessage[];
  readonly plan: ReductionPlan;
}

/**
 * Trims the AI SDK's model messages to the model's context window. Pass the full conversation at each call, longer each time, with the plan of the
 * call before. Inside a tool loop, use `fitStep` as its `prepareStep`.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for an unknown model (pass `window` and `counter`), for a tool without an input schema that
 * can be read at once; `WINDOW_TOO_SMALL` if what must be kept does not fit.
 *
 * @example
 * ```ts
 * import { fitModelMessages } from "agent-history/ai-sdk";
 *
 * const messages = [
 *   { role: "user" as const, content: "What is the capital of France?" },
 *   { role: "assistant" as const, content: "Paris. ".repeat(4000) },
 *   { role: "user" as const, content: "And of Spain?" },
 * ];
 * const { plan } = fitModelMessages(messages, { model: "gpt-4", instructions: "Be brief." });
 * plan.totalTokens <= 8192 - 2048;
 * // => true
 * ```
 */
export function fitModelMessages(
  messages: readonly ModelMessage[],
  given: FitModelMessagesOptions,
): FittedModelMessages {
  const { tools, toolsContext, instructions, ...options } = requireOptions(given);
  refuseForeign(messages, "ai-sdk");
  const fit = fitOptionsOf(options, tools && toToolDefinitionsSync(tools, { toolsContext }));
  const { entries, plan } = fitForTarget(
    modelTarget(),
    fromModelMessages(messages, { instructions }),
    fit,
    fitToWindow,
  );
  return { messages: toModelMessages(entries, options.viewer), plan };
}

/** Like {@link fitModelMessages}, for schemas, steps or a scorer that may be asynchronous. Needs the package `ai` if there are tools. */
export async function fitModelMessagesAsync(
  messages: readonly ModelMessage[],
  given: FitModelMessagesOptions,
): Promise<FittedModelMessages> {
  const { tools, toolsContext, instructions, ...options } = requireOptions(given);
  refuseForeign(messages, "ai-sdk");
  const fit = fitOptionsOf(options, tools && (await toToolDefinitions(tools, { toolsContext })));
  const { entries, plan } = await fitForTarget(
    modelTarget(),
    fromModelMessages(messages, { instructions }),
    fit,
    fitToWindowAsync,
  );
  return { messages: toModelMessages(entries, options.viewer), plan };
}
