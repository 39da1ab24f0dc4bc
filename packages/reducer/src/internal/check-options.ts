import { HistoryError, isHistoryError } from "@agent-history/core";
import type { HistoryErrorCode, RelevanceScorer } from "@agent-history/core";

import type { FitOptions } from "../fit-options.ts";
import { STEP_NAMES } from "../reduction-step.ts";
import type { ReductionStep, StepName } from "../reduction-step.ts";

/** Checks options that untyped callers may get wrong; numbers are checked where they are used. */
export function checkOptions(options: FitOptions): void {
  const { counter, window, firstRequestShare = 0, recall = "block", scorer } = options;
  const { steps = [], without = [] } = options;
  const has = (value: object | undefined, ...names: readonly string[]): boolean =>
    names.every((name) => typeof Reflect.get(Object(value), name) === "function");
  const isStep = (step: ReductionStep): boolean =>
    has(step, "propose") && (step.before === undefined || STEP_NAMES.includes(step.before));
  const isList = (list: readonly StepName[]): boolean =>
    Array.isArray(list) && list.every((name) => STEP_NAMES.includes(name));
  const isRecall = typeof recall === "object" || ["block", "off"].includes(recall);
  const names = STEP_NAMES.join(", ");
  const checks: readonly (readonly [keyof FitOptions, boolean, string])[] = [
    ["counter", has(counter, "countEntry", "countRequest", "countText"), "a token counter"],
    ["window", typeof window === "object" && window !== null, "{ contextTokens, … }"],
    ["firstRequestShare", typeof firstRequestShare === "number", "a share"],
    ["scorer", scorer === undefined || has(scorer, "score"), "a scorer"],
    ["steps", Array.isArray(steps) && steps.every(isStep), `steps, each before one of ${names}`],
    ["without", isList(without), `a list of steps: ${names}`],
    ["recall", isRecall, "block, off, or a `recallBlocks()`"],
  ];
  for (const [option, isRight, expected] of checks) {
    if (isRight) continue;
    throw new HistoryError(`Expected \`${option}\` to be ${expected}.`, {
      code: "INVALID_OPTION",
      details: { option },
    });
  }
}

/** Checks a share: above 0 and at most 1, or from 0 to 1 if 0 is allowed. */
export function shareOption(name: string, value: number, isFromZero = false): number {
  if ((isFromZero ? value >= 0 : value > 0) && value <= 1) return value;
  const range = isFromZero ? "from 0 to 1" : "above 0 and at most 1";
  throw new HistoryError(`Expected \`${name}\` to be ${range}, got ${value}.`, {
    code: "INVALID_OPTION",
    details: { option: name },
  });
}

/** Creates the error of a step or scorer that failed. */
export function stepFailed(
  step: string,
  what: string,
  error: { readonly cause?: unknown } = {},
): HistoryError {
  const message = `${JSON.stringify(step)} ${what}. Nothing was changed.`;
  return new HistoryError(message, { code: "STEP_FAILED", details: { step }, ...error });
}

/** Error codes of the engine, which are passed on unchanged. Any other error inside a step is attributed to the step. */
const OWN: readonly HistoryErrorCode[] = ["STEP_FAILED", "COUNTER_FAILED"];

/** Wraps an error with the name of the step or scorer that threw it. */
export function namedFailure(step: string, cause: unknown): unknown {
  return OWN.some((code) => isHistoryError(cause, code))
    ? cause
    : stepFailed(step, "threw", { cause });
}

/**
 * Returns the scores of a scorer if there is one finite score per entry.
 *
 * @throws `HistoryError` with code `STEP_FAILED`, which names the scorer.
 */
export function requireScores(
  { name }: RelevanceScorer,
  scores: unknown,
  count: number,
): readonly number[] {
  const isRight = (all: unknown): all is readonly number[] =>
    Array.isArray(all) && all.length === count && all.every((score) => Number.isFinite(score));
  if (isRight(scores)) return scores;
  throw stepFailed(name, `gave no finite score for each of ${count} entries`);
}
