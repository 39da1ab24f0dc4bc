import { HistoryError, countOption } from "@agent-history/core";

import type { ModelOptions } from "../model-options.ts";
import { wait } from "./ask-model.ts";
import type { ModelPolicy } from "./ask-model.ts";

/** Checks the options of a model and fills them in. */
export function modelPolicy(
  options: ModelOptions,
): ModelPolicy & { readonly contextTokens: number } {
  return {
    contextTokens: atLeast("contextTokens", 1000, options.contextTokens ?? 32_000),
    timeoutMs: timeout(options.timeoutMs ?? 60_000),
    maxAttempts: atLeast("maxAttempts", 1, options.maxAttempts ?? 3),
    backoffMs: atLeast("backoffMs", 0, options.backoffMs ?? 1000),
    sleep: options.sleep ?? wait,
  };
}

function timeout(value: number): number {
  const timeoutMs = atLeast("timeoutMs", 1, value);
  // A timer that is set for longer fires at once.
  if (timeoutMs === Infinity || timeoutMs <= LONGEST_TIMER_MS) return timeoutMs;
  throw tooSmall("timeoutMs", `at most ${LONGEST_TIMER_MS}, or Infinity`);
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

function atLeast(name: string, least: number, value: number): number {
  if (countOption(name, value) < least) throw tooSmall(name, `${least} or more`);
  return value;
}

function tooSmall(option: string, expected: string): HistoryError {
  return new HistoryError(`Expected \`${option}\` to be ${expected}.`, {
    code: "INVALID_OPTION",
    details: { option },
  });
}
