import { HistoryError, countOption } from "@agent-history/core";
import type { HistoryEntry, HistoryView, ModelWindow } from "@agent-history/core";

import { defaultSteps } from "../default-steps.ts";
import type { FitOptions } from "../fit-options.ts";
import type { ReductionStep } from "../reduction-step.ts";
import { settle } from "./task.ts";
import type { Task } from "./task.ts";

/** Options, checked, with what follows from them. */
export interface Request {
  readonly options: FitOptions;
  readonly view: HistoryView;
  readonly steps: readonly ReductionStep[];
  /** Tokens that entries may use. */
  readonly budget: number;
  /** Where a cut that follows an earlier plan stops. */
  readonly lowTarget: number;
  /** What one tool result may have. */
  readonly maxResultTokens: number;
  readonly requestTokens: number;
  readonly count: (entry: HistoryEntry) => Task<number>;
}

/** Checks the options and works out the budget. */
export function* openRequest(options: FitOptions): Task<Request> {
  const { counter, window, view = "thread", scorer } = options;
  const { steps = defaultSteps(scorer && { scorer }) } = options;
  const available = promptTokens(window);
  const lowWatermark = shareOption("lowWatermark", options.lowWatermark ?? 0.6);
  const maxResultShare = shareOption("maxResultShare", options.maxResultShare ?? 0.5);
  const requestTokens = checkCount(
    yield* settle(guard(() => counter.countRequest(options.tools))),
    "the request",
  );
  const budget = available - requestTokens;
  return {
    options,
    view,
    steps,
    budget,
    lowTarget: Math.floor(budget * lowWatermark),
    maxResultTokens: Math.floor(budget * maxResultShare),
    requestTokens,
    *count(entry) {
      const counted = yield* settle(guard(() => counter.countEntry(entry, options.viewer)));
      return checkCount(counted, entry.id);
    },
  };
}

/** What a window leaves for the prompt. */
function promptTokens(window: ModelWindow): number {
  const context = countOption("window.contextTokens", window.contextTokens);
  const reserve = countOption("window.outputReserveTokens", window.outputReserveTokens ?? 0);
  const margin = countOption("window.marginTokens", window.marginTokens ?? 0);
  if (reserve + margin <= context)
    return context === Infinity ? Infinity : context - reserve - margin;
  throw new HistoryError(
    `Expected \`window.outputReserveTokens\` and \`window.marginTokens\` (${reserve} + ${margin}) to be at most \`window.contextTokens\` (${context}). Keep less free, or use a larger window.`,
    {
      code: "INVALID_OPTION",
      details: { option: "window.outputReserveTokens", reserve, margin, context },
    },
  );
}

function shareOption(name: string, value: number): number {
  if (value > 0 && value <= 1) return value;
  throw new HistoryError(`Expected \`${name}\` to be above 0 and at most 1, got ${value}.`, {
    code: "INVALID_OPTION",
    details: { option: name },
  });
}

function guard<Value>(count: () => Value): Value {
  try {
    return count();
  } catch (cause) {
    throw new HistoryError("The token counter threw. Nothing was changed.", {
      code: "COUNTER_FAILED",
      cause,
    });
  }
}

function checkCount(counted: number, what: string): number {
  if (Number.isInteger(counted) && counted >= 0) return counted;
  throw new HistoryError(
    `Expected the token counter to give an integer of 0 or more for ${what}, got ${counted}.`,
    { code: "COUNTER_FAILED", details: { entryId: what, received: String(counted) } },
  );
}
