import { HistoryError } from "@agent-history/core";

import type { FitOptions } from "../fit-options.ts";
import { STEP_NAMES } from "../reduction-step.ts";
import type { ReductionStep } from "../reduction-step.ts";

/** Checks what callers without types may get wrong; numbers are checked where they are read. */
export function checkOptions(options: FitOptions): void {
  const { counter, window, firstRequestShare, recall, scorer, steps } = options;
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
  const isRecall = recall === undefined || typeof recall === "object" || RECALLS.has(recall);
  if (!isRecall) throw wrong("recall", "block, on-cut, every-turn, off");
}

const RECALLS: ReadonlySet<string> = new Set(["block", "on-cut", "every-turn", "off"]);

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
