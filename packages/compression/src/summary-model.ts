import type { SummaryModel, SummaryRequest, TokenCounter } from "@agent-history/core";

import { askModel } from "./internal/ask-model.ts";
import { checkAnswer } from "./internal/check-answer.ts";
import { modelPolicy } from "./internal/model-policy.ts";
import { rememberModel } from "./internal/remembered-models.ts";
import type { ModelOptions } from "./model-options.ts";

/** Options of {@link summaryModel}. */
export interface SummaryModelOptions extends Omit<ModelOptions, "contextTokens"> {
  /** Refuses answers over the cap. Default: they are not counted. */
  readonly counter?: Pick<TokenCounter, "countText"> | undefined;
}

/**
 * Makes a `SummaryModel` of any function that answers a request: with a timeout, and asked again where it fails, refuses, or
 * gives what is no text, empty or too long. `compressHistory` does so by itself with a bare function; use this to call a model yourself, or
 * to give one its own timeout.
 *
 * @throws `HistoryError` with code `INVALID_OPTION`. The model rejects with `MODEL_FAILED` after the last attempt, `ABORTED`
 *   when the request's signal fires.
 * @example
 * ```ts
 * import { summaryModel } from "@agent-history/compression";
 *
 * let asked = 0;
 * const model = summaryModel(async () => ((asked += 1) < 2 ? "" : "They chose Lisbon."));
 * await model({ instructions: "Summarize.", prompt: "…", maxOutputTokens: 100 });
 * // => "They chose Lisbon."
 * ```
 */
export function summaryModel(
  ask: (request: SummaryRequest) => Promise<string>,
  options: SummaryModelOptions = {},
): SummaryModel {
  const policy = modelPolicy(options);
  const { counter } = options;
  const model: SummaryModel = (request) =>
    askModel(ask, request, policy, (answer) => {
      const limits = counter === undefined ? {} : { counter, maxTokens: request.maxOutputTokens };
      const problem = checkAnswer(answer, limits);
      return problem === undefined ? { value: String(answer) } : { problem };
    });
  rememberModel(model, { ask, policy });
  return model;
}
