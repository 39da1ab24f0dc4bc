import type { Reduction, ReductionPlan } from "@agent-history/core";
import {
  checkFitOptions,
  countForTarget,
  fitWithOptions,
  refuseForeign,
  requireSync,
  sendingWith,
  viewerOf,
} from "@agent-history/format-kit";
import type {
  CountOptions,
  FitOptions,
  RequestCount,
  SyncReducer,
} from "@agent-history/format-kit";

import { fromContents, toContents } from "./contents.ts";
import type { FromContentsOptions, GoogleContent, GoogleContentLike } from "./contents.ts";
import { googleTarget, interactionTarget } from "./google-rules.ts";
import type { GoogleRuleOptions } from "./google-rules.ts";
import { fromInteractionSteps, toInteractionSteps } from "./interaction-steps.ts";
import type { InteractionStep, InteractionStepLike } from "./interaction-steps.ts";
import { toToolDefinitions } from "./to-tool-definitions.ts";

/** Options of {@link fitContentsAsync}. */
export interface FitContentsOptions
  extends FitOptions, Pick<FromContentsOptions, "systemInstruction">, GoogleRuleOptions {
  /** The tools of the request, in the form of Google's SDK. Their schemas are counted. Default: none. */
  readonly tools?: readonly object[] | undefined;
  /** The plan of the previous call. */
  readonly previousPlan?: ReductionPlan | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Options of {@link fitContents}, which needs a synchronous reducer. */
export interface FitContentsSyncOptions extends FitContentsOptions {
  /** A synchronous reducer: `{ name, reduce: (entries, request) => fitToWindow(entries, { counter, ...request }) }`. */
  readonly reducer: SyncReducer;
}

/** The contents to send, and the plan for the next call. */
export interface FittedContents {
  readonly contents: GoogleContent[];
  readonly plan: ReductionPlan;
}

/**
 * Repairs a conversation by the rules of Gemini's API and fits it to the context window: `ai.models.generateContent({ model, contents, config })`. Pass the full conversation at
 * each call, with new contents at the end, with the plan of the previous call. `systemInstruction` and tools are counted, but not returned: pass them to the request. Cost: proportional to the new contents.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if there is no reducer or no window, if the reducer returns a promise, and on a tool of another shape; `WINDOW_TOO_SMALL` if
 * what must be kept does not fit; `INVALID_ENTRY` if the history breaks a rule and `repair` is `throw`.
 *
 * @example
 * ```ts
 * import { fitContents } from "@agent-history/google";
 * import { fitToWindow } from "@agent-history/reducer";
 * import { estimatingCounter, tiktokenCounter } from "@agent-history/tokens";
 *
 * const exact = tiktokenCounter({ encoding: "o200k_base" });
 * const counter = estimatingCounter({ family: "gemini", counter: exact });
 * const { contents } = fitContents(
 *   [
 *     { role: "user", parts: [{ text: "Which flights go to Rome?" }] },
 *     { role: "model", parts: [{ text: "Two, at nine and at noon. ".repeat(20) }] },
 *     { role: "user", parts: [{ text: "Take the first." }] },
 *   ],
 *   {
 *     reducer: { name: "own", reduce: (entries, asked) => fitToWindow(entries, { counter, ...asked }) },
 *     window: { contextTokens: 60 },
 *   },
 * );
 * contents;
 * // => [{ role: "user", parts: [{ text: "Take the first." }] }]
 * ```
 */
export function fitContents(
  contents: readonly GoogleContentLike[],
  options: FitContentsSyncOptions,
): FittedContents {
  const { entries, plan } = requireSync(fit({ contents }, options), "fitContentsAsync");
  return { contents: toContents(entries, viewerOf(options.agent)), plan };
}

/** Like {@link fitContents}, for a reducer that may be asynchronous, such as `createReducer({ counter })`. */
export async function fitContentsAsync(
  contents: readonly GoogleContentLike[],
  options: FitContentsOptions,
): Promise<FittedContents> {
  const { entries, plan } = await fit({ contents }, options);
  return { contents: toContents(entries, viewerOf(options.agent)), plan };
}

/** The steps to send, and the plan for the next call. */
export interface FittedInteraction {
  readonly input: InteractionStep[];
  readonly plan: ReductionPlan;
}

/**
 * Repairs steps by the rules of Gemini's Interactions API and fits them to the context window: `ai.interactions.create({ model, input, store: false })`. Pass all steps at each call,
 * with those of new answers at the end, with the plan of the previous call. `systemInstruction` and tools are counted, but not returned: pass them to the request. Cost: proportional to the new steps.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if there is no reducer or no window, if the reducer returns a promise, and on a tool of another shape; `WINDOW_TOO_SMALL` if
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
  input: readonly InteractionStepLike[],
  options: FitContentsSyncOptions,
): FittedInteraction {
  const { entries, plan } = requireSync(fit({ input }, options), "fitInteractionStepsAsync");
  return { input: toInteractionSteps(entries, viewerOf(options.agent)), plan };
}

/** Like {@link fitInteractionSteps}, for a reducer that may be asynchronous, such as `createReducer({ counter })`. */
export async function fitInteractionStepsAsync(
  input: readonly InteractionStepLike[],
  options: FitContentsOptions,
): Promise<FittedInteraction> {
  const { entries, plan } = await fit({ input }, options);
  return { input: toInteractionSteps(entries, viewerOf(options.agent)), plan };
}

/** The messages of a request, for `generateContent` or the Interactions API. */
type GoogleMessages =
  | { readonly contents: readonly GoogleContentLike[] }
  | { readonly input: readonly InteractionStepLike[] };

function fit(
  messages: GoogleMessages,
  options: FitContentsOptions,
): Reduction | Promise<Reduction> {
  const { previousPlan, signal } = checkFitOptions(options);
  const { target, entries, tools } = readRequest(messages, options);
  return fitWithOptions(options, target, entries, { tools, previousPlan, signal });
}

/** Reads the messages and tools of a request, and returns them with the target. */
function readRequest(
  messages: GoogleMessages,
  options: Omit<FitContentsOptions, "reducer" | "window">,
) {
  const { systemInstruction, agent, tools } = options;
  const stamp = { systemInstruction, agent };
  const definitions = tools && toToolDefinitions(tools);
  if ("input" in messages) {
    const sent = { tools, system_instruction: systemInstruction };
    const target = sendingWith(interactionTarget(options), sent);
    return { target, entries: fromInteractionSteps(messages.input, stamp), tools: definitions };
  }
  refuseForeign(messages.contents, "google");
  const sent = { tools, systemInstruction: sentInstruction(systemInstruction) };
  const target = sendingWith(googleTarget(options), sent);
  return { target, entries: fromContents(messages.contents, stamp), tools: definitions };
}

/** Returns an instruction in the form that the SDK sends. */
function sentInstruction(given: string | object | undefined): object | undefined {
  if (given === undefined || (typeof given === "object" && "parts" in given)) return given;
  const parts = typeof given === "string" ? [{ text: given }] : given;
  return { role: "user", parts: Array.isArray(parts) ? parts : [parts] };
}

/** A request of `generateContent` (`contents`) or of the Interactions API (`input`), and the counter. */
export type GoogleRequestToCount = CountOptions &
  Pick<FitContentsOptions, "model" | "systemInstruction" | "tools"> &
  GoogleMessages;

/**
 * Counts a request of Gemini's API before it is sent, as `fitContents` and `fitInteractionSteps` do: tokens by kind, bytes of its body, images. Linear.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` on a tool of another shape.
 *
 * @example
 * ```ts
 * import { countRequest } from "@agent-history/google";
 * import { estimatingCounter, tiktokenCounter } from "@agent-history/tokens";
 *
 * const exact = tiktokenCounter({ encoding: "o200k_base" });
 * const counter = estimatingCounter({ family: "gemini", counter: exact });
 * const contents = [{ role: "user", parts: [{ text: "To Rome, please." }] }];
 * const { tokens, parts } = countRequest({ counter, contents, systemInstruction: "You book flights." });
 * parts.instructions + parts.history === tokens;
 * // => true
 * ```
 */
export function countRequest(request: GoogleRequestToCount): RequestCount {
  const { target, entries, tools } = readRequest(request, request);
  return countForTarget(target, entries, { ...request, tools });
}
