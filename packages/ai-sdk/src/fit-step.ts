import { refuseRepairs, repairFor, viewerOf } from "@agent-history/format-kit";
import type { LanguageModel, ModelMessage } from "ai";

import { fitPrompt, middlewareOf } from "./fit-prompt.ts";
import type { FitMiddlewareOptions } from "./fit-prompt.ts";
import { loadAi } from "./internal/load-ai.ts";
import { fromModelMessages, toModelMessages } from "./model-messages.ts";
import { modelTarget } from "./model-rules.ts";

/** The fields that {@link fitStep} reads of the options of `prepareStep`. */
export interface StepToFit {
  readonly model: LanguageModel;
  readonly messages: readonly ModelMessage[];
}

/** A `prepareStep` of `generateText`, `streamText` and `ToolLoopAgent`. */
export type FitStep = (
  step: StepToFit,
) => Promise<{ model: LanguageModel; messages?: ModelMessage[] }>;

/**
 * Creates a `prepareStep` that fits the prompt of each step to a window. It wraps the model of the step as `fitMiddleware` does, so the AI SDK keeps the full
 * conversation, and repairs messages from which the AI SDK could not make a prompt.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if the reducer is missing or the window is missing or invalid. The call of `generateText` rejects with
 * `WINDOW_TOO_SMALL` if what must be kept does not fit.
 *
 * @example
 * ```ts
 * import { fitStep } from "@agent-history/ai-sdk";
 * import { createReducer } from "@agent-history/reducer";
 * import { tiktokenCounter } from "@agent-history/tokens";
 *
 * const reducer = createReducer({ counter: tiktokenCounter({ model: "gpt-4o" }) });
 * const prepareStep = fitStep({ reducer, window: { contextTokens: 128_000 } });
 * // generateText({ model, messages, tools, prepareStep, stopWhen: isStepCount(50) })
 * ```
 */
export function fitStep(options: FitMiddlewareOptions): FitStep {
  const fit = fitPrompt(options);
  const { agent, repair } = options;
  return async ({ model, messages }) => {
    const { gateway, wrapLanguageModel } = await loadAi();
    // As the AI SDK finds a model by its name.
    const providers = globalThis.AI_SDK_DEFAULT_PROVIDER ?? gateway;
    const own = typeof model === "string" ? providers.languageModel(model) : model;
    const viewer = viewerOf(agent);
    const target = modelTarget({ provider: own.provider, runnable: [] });
    const { entries, repairs } = repairFor(target, fromModelMessages(messages, { agent }), viewer);
    if (repair === "throw") refuseRepairs(repairs);
    const made = wrapLanguageModel({ model: own, middleware: middlewareOf(fit, repairs) });
    if (repairs.length === 0) return { model: made };
    return { model: made, messages: toModelMessages(entries, viewer) };
  };
}
