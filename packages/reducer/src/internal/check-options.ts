import { HistoryError, isHistoryError } from "@agent-history/core";
import type { HistoryErrorCode, RelevanceScorer } from "@agent-history/core";

import type { FitOptions } from "../fit-options.ts";
import { STEP_NAMES } from "../reduction-step.ts";
import type { ReductionStep } from "../reduction-step.ts";

/** Checks what callers without types may get wrong; numbers are checked where they are read. */
export function checkOptions(options: FitOptions): void {
  const { counter, window, firstRequestShare, recall, scorer, steps, without = [] } = options;
  const { countEntry, countRequest, countText }: Partial<FitOptions["counter"]> = counter ?? {};
  const isCounter = typeof countEntry === "function" && typeof countRequest === "function";
  if (!isCounter || typeof countText !== "function") throw wrong("counter", "a token counter");
  if (typeof window !== "object" || window === null) throw wrong("window", "{ contextTokens, … }");
  if (firstRequestShare !== undefined && typeof firstRequestShare !== "number") {
    throw wrong("firstRequestShare", "a share");
  }
  if (scorer !== undefined && !hasFunction(scorer, "score")) throw wrong("scorer", "a scorer");
  const isSteps = steps === undefined || Array.isArray(steps);
  if (!isSteps || steps?.some((step) => !isStep(step)) === true) {
    throw wrong("steps", `a list of steps, each before one of ${STEP_NAMES.join(", ")}`);
  }
  if (!Array.isArray(without) || !without.every((name) => STEP_NAMES.includes(name))) {
    throw wrong("without", `a list of steps: ${STEP_NAMES.join(", ")}`);
  }
  const isRecall = recall === undefined || typeof recall === "object" || ["block", "off"].includes(recall);
  if (!isRecall) throw wrong("recall", "block or off");
}

function isStep(step: ReductionStep): boolean {
  const { before } = step ?? {};
  const isKnown = before === undefined || STEP_NAMES.includes(before);
  return hasFunction(step, "propose") && isKnown;
}

function hasFunction(value: unknown, name: string): boolean {
  if (typeof value !== "object" || value === null) return false;
  return typeof Reflect.get(value, name) === "function";
}

function wrong(option: string, expected: string): HistoryError {
  return new HistoryError(`Expected \`${option}\` to be ${expected}.`, {
    code: "INVALID_OPTION",
    details: { option },
  });
}

/** Checks a share: above 0, or from 0 where none is a choice too. */
export function shareOption(name: string, value: number, isFromZero = false): number {
  if ((isFromZero ? value >= 0 : value > 0) && value <= 1) return value;
  const range = isFromZero ? "from 0 to 1" : "above 0 and at most 1";
  throw new HistoryError(`Expected \`${name}\` to be ${range}, got ${value}.`, {
    code: "INVALID_OPTION",
    details: { option: name },
  });
}

/** The error of a step or a scorer that did what it may not. */
export function stepFailed(
  step: string,
  what: string,
  error: { readonly cause?: unknown } = {},
): HistoryError {
  const message = `${JSON.stringify(step)} ${what}. Nothing was changed.`;
  return new HistoryError(message, { code: "STEP_FAILED", details: { step }, ...error });
}

/** Errors of the engine, which arrive as they are. Whatever else is thrown within a step is the step's. */
const OWN: readonly HistoryErrorCode[] = ["STEP_FAILED", "COUNTER_FAILED"];

/** Names the step or the scorer that threw something. */
export function namedFailure(step: string, cause: unknown): unknown {
  return OWN.some((code) => isHistoryError(cause, code))
    ? cause
    : stepFailed(step, "threw", { cause });
}

/**
 * Returns what a scorer said, where that is one finite score for each entry.
 *
 * @throws `HistoryError` with code `STEP_FAILED`, which names the scorer.
 */
export function requireScores(
  { name }: RelevanceScorer,
  scores: unknown,
  count: number,
): readonly number[] {
  if (isListOfNumbers(scores) && scores.length === count) return scores;
  throw stepFailed(name, `gave no finite score for each of ${count} entries`);
}

function isListOfNumbers(scores: unknown): scores is readonly number[] {
  return Array.isArray(scores) && scores.every((score) => Number.isFinite(score));
}
