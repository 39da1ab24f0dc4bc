import type { Reduction, ReductionPlan } from "@agent-history/core";
import { checkFitOptions, requireSync, sendingWith, viewerOf } from "@agent-history/format-kit";

import type { FitContentsOptions, FitContentsSyncOptions } from "./fit-contents.ts";
import type { InteractionStep, InteractionStepLike } from "./interaction-step.ts";
import {
  fromInteractionSteps,
  interactionTarget,
  toInteractionSteps,
} from "./interaction-steps.ts";
import { fitGoogle, readGoogle } from "./internal/fit-google.ts";
import type { GoogleRequestRead } from "./internal/fit-google.ts";

/** What to send, and the plan for the next call. */
export interface FittedInteraction {
  readonly input: InteractionStep[];
  readonly plan: ReductionPlan;
}

/**
 * Repairs steps by the rules of Gemini's Interactions API and fits them to the context window: `ai.interactions.create({ model, input, store: false })`. Pass all steps at each call,
 * those of each answer behind those before, with the plan of the call before. `systemInstruction` and tools count; the request sends them itself. Costs what is new.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if there is no reducer or no window, if the reducer answers with a promise, and on a tool of another shape; `WINDOW_TOO_SMALL` if
 * what must be kept does not fit; `INVALID_ENTRY` if the history breaks a rule and `repair` is `throw`.
 *
 * @example
 * ```ts
 * import { fitInteractionSteps } from "@agent-history/google";
 * import { fitToWindow } from "@agent-history/reducer";
 * import { estimatingCounter, tiktokenCounter } from "@agent-history/tokens";
 *
 * const exact = tiktokenCounter({ encoding: "o200k_base" });
 * const counter = estimatingCounter({ family: "gemini", counter: exact });
 * const said = (text: string) => [{ type: "text", text }];
 * const { input } = fitInteractionSteps(
 *   [
 *     { type: "user_input", content: said("Which flights go to Rome?") },
 *     { type: "model_output", content: said("Two, at nine and at noon. ".repeat(20)) },
 *     { type: "user_input", content: said("Take the first.") },
 *   ],
 *   {
 *     reducer: { name: "own", reduce: (entries, asked) => fitToWindow(entries, { counter, ...asked }) },
 *     window: { contextTokens: 60 },
 *   },
 * );
 * input;
 * // => [{ type: "user_input", content: [{ type: "text", text: "Take the first." }] }]
 * ```
 */
export function fitInteractionSteps(
  steps: readonly InteractionStepLike[],
  options: FitContentsSyncOptions,
): FittedInteraction {
  return fitted(requireSync(fit(steps, options), "fitInteractionStepsAsync"), options);
}

/** Like {@link fitInteractionSteps}, for a reducer that may be asynchronous, such as `createReducer({ counter })`. */
export async function fitInteractionStepsAsync(
  steps: readonly InteractionStepLike[],
  options: FitContentsOptions,
): Promise<FittedInteraction> {
  return fitted(await fit(steps, options), options);
}

function fit(
  steps: readonly InteractionStepLike[],
  options: FitContentsOptions,
): Reduction | Promise<Reduction> {
  const checked = checkFitOptions(options);
  return fitGoogle(stepsRequest(steps, checked), checked);
}

/** Reads what a request of the Interactions API sends, and how it is written. */
export function stepsRequest(
  steps: readonly InteractionStepLike[],
  options: Omit<FitContentsOptions, "reducer" | "window">,
): GoogleRequestRead {
  const { systemInstruction } = options;
  const target = sendingWith(interactionTarget(options), { system_instruction: systemInstruction });
  return readGoogle((given) => fromInteractionSteps(steps, given), target, options);
}

function fitted({ entries, plan }: Reduction, { agent }: FitContentsOptions): FittedInteraction {
  return { input: toInteractionSteps(entries, viewerOf(agent)), plan };
}
