import * as google from "@agent-history/google";
import { fitToWindow, fitToWindowAsync } from "@agent-history/reducer";

import { counterOf, withReducer } from "./for-model.ts";
import type { CountForModel, ForModel } from "./for-model.ts";

// The public exports of the entry `agent-history/google`.
export type { CountForModel, ForModel, ModelOptions } from "./for-model.ts";
export type { FittedContents, FittedInteraction, RequestCount } from "@agent-history/google";
export type { ReductionPlan } from "@agent-history/core";

// Contents, steps and entries, for `createHistory`
export {
  fromContents,
  fromInteractionSteps,
  toContents,
  toGoogleRequest,
  toInteractionRequest,
  toInteractionSteps,
} from "@agent-history/google";

/**
 * Trims contents of Gemini's API to the model's context window, and repairs what the API would refuse. Pass the full conversation at each call, with the plan of the
 * previous call. `systemInstruction` and tools count; send them in the request yourself. Gemini's tokens are estimated, because its tokenizer is not public.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for an unknown model (pass `window` and `counter`) and for a tool of an unknown shape; `WINDOW_TOO_SMALL` if what must be kept does
 * not fit.
 *
 * @example
 * ```ts
 * import { fitContents } from "agent-history/google";
 *
 * const conversation = [{ role: "user", parts: [{ text: "To Rome, please." }] }];
 * const { contents } = fitContents(conversation, { model: "gemini-2.5-pro" });
 * contents.length;
 * // => 1
 * // ai.models.generateContent({ model: "gemini-2.5-pro", contents })
 * ```
 */
export function fitContents(
  contents: readonly google.GoogleContentLike[],
  options: ForModel<google.FitContentsOptions>,
): google.FittedContents {
  return google.fitContents(contents, withReducer(options, fitToWindow));
}

/** Like {@link fitContents}, but steps and the scorer may be asynchronous. */
export async function fitContentsAsync(
  contents: readonly google.GoogleContentLike[],
  options: ForModel<google.FitContentsOptions>,
): Promise<google.FittedContents> {
  return google.fitContentsAsync(contents, withReducer(options, fitToWindowAsync));
}

/**
 * Trims steps of Gemini's Interactions API to the model's context window, and repairs what the API would refuse, for programs that keep the steps themselves (`store: false`). Pass all
 * steps at each call, with the plan of the previous call.
 *
 * @throws `HistoryError` as `fitContents` does.
 *
 * @example
 * ```ts
 * import { fitInteractionSteps } from "agent-history/google";
 *
 * const steps = [{ type: "user_input", content: [{ type: "text", text: "To Rome, please." }] }];
 * const { input } = fitInteractionSteps(steps, { model: "gemini-2.5-pro" });
 * input.length;
 * // => 1
 * // ai.interactions.create({ model: "gemini-2.5-pro", input, store: false })
 * ```
 */
export function fitInteractionSteps(
  steps: readonly google.InteractionStepLike[],
  options: ForModel<google.FitContentsOptions>,
): google.FittedInteraction {
  return google.fitInteractionSteps(steps, withReducer(options, fitToWindow));
}

/** Like {@link fitInteractionSteps}, but steps and the scorer may be asynchronous. */
export async function fitInteractionStepsAsync(
  steps: readonly google.InteractionStepLike[],
  options: ForModel<google.FitContentsOptions>,
): Promise<google.FittedInteraction> {
  return google.fitInteractionStepsAsync(steps, withReducer(options, fitToWindowAsync));
}

/**
 * Counts a request of Gemini's `generateContent` (`contents`) or Interactions API (`input`) before it is sent, with the same counting as a fit for the model: tokens by part, bytes, images, and how much of it is an estimate. Linear.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for a model without a known tokenizer: pass `counter`, or `estimate: true`.
 *
 * @example
 * ```ts
 * import { countRequest } from "agent-history/google";
 *
 * const contents = [{ role: "user", parts: [{ text: "To Rome, please." }] }];
 * const { tokens, estimate } = countRequest({ model: "gemini-2.5-pro", contents });
 * // Gemini's tokenizer is not public.
 * estimate?.tokens === tokens;
 * // => true
 * ```
 */
export function countRequest(
  request: CountForModel<google.GoogleRequestToCount>,
): google.RequestCount {
  return google.countRequest({ ...request, counter: counterOf(request) });
}
