import { HistoryError } from "@agent-history/core";

import type { FitOptions } from "../fit-options.ts";

/** Checks what callers without types may get wrong; numbers are checked where they are read. */
export function checkOptions(options: FitOptions): void {
  const { counter, window, keepOpening, recall, scorer, steps } = options;
  expect(
    "counter",
    hasFunctions(counter, ["countEntry", "countRequest", "countText"]),
    "a token counter",
  );
  expect("window", typeof window === "object" && window !== null, "{ contextTokens, … }");
  const isChosen = keepOpening === undefined || typeof keepOpening === "boolean";
  expect("keepOpening", isChosen || typeof keepOpening === "number", "a boolean or a share");
  expect("scorer", scorer === undefined || hasFunctions(scorer, ["score"]), "a scorer");
  const isSteps = Array.isArray(steps) && steps.every((step) => hasFunctions(step, ["propose"]));
  expect("steps", steps === undefined || isSteps, "a list of steps");
  const isRecall = recall === undefined || typeof recall === "object" || RECALLS.has(recall);
  expect("recall", isRecall, ONE_OF_RECALLS);
}

const RECALLS: ReadonlySet<string> = new Set(["block", "on-cut", "every-turn", "off"]);
const ONE_OF_RECALLS = "block, on-cut, every-turn, off";

function hasFunctions(value: unknown, names: readonly string[]): boolean {
  if (typeof value !== "object" || value === null) return false;
  return names.every((name) => typeof Reflect.get(value, name) === "function");
}

function expect(option: string, isRight: boolean, expected: string): void {
  if (isRight) return;
  throw new HistoryError(`Expected \`${option}\` to be ${expected}.`, {
    code: "INVALID_OPTION",
    details: { option },
  });
}
