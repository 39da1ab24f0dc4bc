import type { Reduction, ReductionPlan } from "@agent-history/core";
import {
  checkFitOptions,
  refuseForeign,
  requireSync,
  sendingWith,
  viewerOf,
} from "@agent-history/format-kit";
import type { FitOptions, SyncReducer } from "@agent-history/format-kit";

import { fromContents } from "./from-contents.ts";
import type { FromContentsOptions } from "./from-contents.ts";
import type { GoogleContent, GoogleContentLike } from "./google-content.ts";
import type { GoogleRuleOptions } from "./google-rules.ts";
import { googleTarget } from "./google-target.ts";
import { fitGoogle, readGoogle } from "./internal/fit-google.ts";
import type { GoogleRequestRead } from "./internal/fit-google.ts";
import { toContents } from "./to-contents.ts";

/** What contents are made to fit, and by whom. */
export interface FitContentsOptions
  extends FitOptions, Pick<FromContentsOptions, "systemInstruction">, GoogleRuleOptions {
  /** The tools of the request, as Google's SDK takes them: their schemas count. Default: none. */
  readonly tools?: readonly object[] | undefined;
  /** The plan of the call before. */
  readonly previousPlan?: ReductionPlan | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Options of {@link fitContents}, whose reducer answers at once. */
export interface FitContentsSyncOptions extends FitContentsOptions {
  /** Makes room, and answers at once: `{ name, reduce: (entries, request) => fitToWindow(entries, { counter, ...request }) }`. */
  readonly reducer: SyncReducer;
}

/** What to send, and the plan for the next call. */
export interface FittedContents {
  readonly contents: GoogleContent[];
  readonly plan: ReductionPlan;
}

/**
 * Repairs a conversation by the rules of Gemini's API and fits it to the context window: `ai.models.generateContent({ model, contents, config })`. Pass the whole conversation at
 * each call, longer each time, with the plan of the call before. `systemInstruction` and tools count; the request sends them itself. Costs what is new.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if there is no reducer or no window, if the reducer answers with a promise, and on a tool of another shape; `WINDOW_TOO_SMALL` if
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
  return fitted(requireSync(fit(contents, options), "fitContentsAsync"), options);
}

/** Like {@link fitContents}, for a reducer that may be asynchronous, such as `createReducer({ counter })`. */
export async function fitContentsAsync(
  contents: readonly GoogleContentLike[],
  options: FitContentsOptions,
): Promise<FittedContents> {
  return fitted(await fit(contents, options), options);
}

function fit(
  contents: readonly GoogleContentLike[],
  options: FitContentsOptions,
): Reduction | Promise<Reduction> {
  const checked = checkFitOptions(options);
  return fitGoogle(contentsRequest(contents, checked), checked);
}

/** Reads what a request of `generateContent` sends, and how it is written. */
export function contentsRequest(
  contents: readonly GoogleContentLike[],
  options: Omit<FitContentsOptions, "reducer" | "window">,
): GoogleRequestRead {
  refuseForeign(contents, "google");
  const systemInstruction = sentInstruction(options.systemInstruction);
  const target = sendingWith(googleTarget(options), { systemInstruction });
  return readGoogle((given) => fromContents(contents, given), target, options);
}

/** Returns an instruction as the SDK sends it. */
function sentInstruction(given: string | object | undefined): object | undefined {
  if (given === undefined || (typeof given === "object" && "parts" in given)) return given;
  const parts = typeof given === "string" ? [{ text: given }] : given;
  return { role: "user", parts: Array.isArray(parts) ? parts : [parts] };
}

function fitted({ entries, plan }: Reduction, { agent }: FitContentsOptions): FittedContents {
  return { contents: toContents(entries, viewerOf(agent)), plan };
}
