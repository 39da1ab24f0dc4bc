import { HistoryError } from "@agent-history/core";

import type { FitOptions } from "../fit-options.ts";

/** Checks what callers without types may get wrong; numbers are checked where they are read. */
export function checkOptions(options: FitOptions): void {
  const { counter, window, keepOpening, recall, scorer, steps } = options;
  const { countEntry, countRequest, countText }: Partial<FitOptions["counter"]> = counter ?? {};
  const isCounter = typeof countEntry === "function" && typeof countRequest === "function";
  if (!isCounter || typeof countText !== "function") throw wrong("counter", "a token counter");
  if (typeof window !== "object" || window === null) throw wrong("window", "{ contextTokens, … }");
  const isChosen = keepOpening === undefined || typeof keepOpening === "boolean";
  if (!isChosen && typeof keepOpening !== "number") {
    throw wrong("keepOpening", "a boolean or a share");
  }
  if (scorer !== undefined && !hasFunction(scorer, "score")) throw wrong("scorer", "a scorer");
  const isSteps = steps === undefined || Array.isArray(steps);
  if (!isSteps || steps?.some((step) => !hasFunction(step, "propose")) === true) {
    throw wrong("steps", "a list of steps");
  }
  const isRecall = recall === undefined || typeof recall === "object" || RECALLS.has(recall);
  if (!isRecall) throw wrong("recall", "block, on-cut, every-turn, off");
}

const RECALLS: ReadonlySet<string> = new Set(["block", "on-cut", "every-turn", "off"]);

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
