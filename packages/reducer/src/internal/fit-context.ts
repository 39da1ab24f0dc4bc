import { HistoryError, countOption, isHistoryError, throwIfAborted } from "@agent-history/core";
import type { HistoryEntry, HistoryView, ModelWindow } from "@agent-history/core";

import { defaultSteps } from "../default-steps.ts";
import type { FitOptions } from "../fit-options.ts";
import type { ReductionStep } from "../reduction-step.ts";
import { isThenable, waitFor } from "./maybe-async.ts";
import type { MaybeAsync } from "./maybe-async.ts";
import { shareOption } from "./share-option.ts";

/** Options, checked, with what follows from them. */
export interface FitContext {
  readonly options: FitOptions;
  readonly view: HistoryView;
  /** Made when a cut first asks for them. */
  readonly steps: () => readonly ReductionStep[];
  /** Tokens that entries may use. */
  readonly budget: number;
  /** A cut is made where entries use more; at most the budget. */
  readonly cutAbove: number;
  /** Where a cut that follows an earlier plan stops. */
  readonly lowTarget: number;
  /** What one tool result may have. */
  readonly maxResultTokens: number;
  readonly requestTokens: number;
  /** Asks the counter once for each entry. */
  readonly count: (entry: HistoryEntry) => MaybeAsync<number>;
  /** Does the same where the counter answers at once, without a generator for each entry; otherwise `count` waits for its answer. */
  readonly countNow: (entry: HistoryEntry) => number | undefined;
}

/** Checks the options and works out the budget. */
export function* openFitContext(given: FitOptions): MaybeAsync<FitContext> {
  const options = given.recall === "off" ? withoutScorer(given) : given;
  const { window, view = "thread", scorer } = options;
  let { steps } = options;
  const available = promptTokens(window);
  const lowWatermark = shareOption("lowWatermark", options.lowWatermark ?? 0.6);
  const { keepOpening } = options;
  if (typeof keepOpening === "number" && keepOpening !== 0) shareOption("keepOpening", keepOpening);
  const maxResultShare = shareOption("maxResultShare", options.maxResultShare ?? 0.5);
  const request = ask(options, undefined);
  const requestTokens = typeof request === "number" ? request : yield* waitFor(request);
  const budget = available - requestTokens;
  const known = new Map<HistoryEntry, Answer>();
  const asked = (entry: HistoryEntry): Answer => {
    const before = known.get(entry);
    if (before !== undefined) return before;
    const answer = ask(options, entry);
    known.set(entry, answer);
    return answer;
  };
  return {
    options,
    view,
    steps: () => (steps ??= defaultSteps(scorer && { scorer })),
    budget,
    cutAbove: budget,
    lowTarget: Math.floor(budget * lowWatermark),
    maxResultTokens: Math.floor(budget * maxResultShare),
    requestTokens,
    count: (entry) => waitFor(asked(entry)),
    countNow: (entry) => {
      const answer = asked(entry);
      return typeof answer === "number" ? answer : undefined;
    },
  };
}

function withoutScorer({ scorer, ...options }: FitOptions): FitOptions {
  return options;
}

/** What a window leaves for the prompt. */
function promptTokens(window: ModelWindow): number {
  const context = countOption("window.contextTokens", window.contextTokens);
  const reserve = countOption("window.outputReserveTokens", window.outputReserveTokens ?? 0);
  const margin = countOption("window.marginTokens", window.marginTokens ?? 0);
  const available = context - reserve - margin;
  if (available >= 0) return available;
  throw new HistoryError(
    `Expected \`window\` to reserve at most its ${context} tokens, got ${reserve} + ${margin}. Reserve less, or use a larger window.`,
    { code: "INVALID_OPTION", details: { option: "window" } },
  );
}

/** What a counter says, now or later. */
type Answer = number | PromiseLike<number>;

/** Asks the counter about an entry, or else about the request, and checks what it says. */
function ask(options: FitOptions, entry: HistoryEntry | undefined): Answer {
  const { counter, viewer, tools, signal } = options;
  const entryId = entry === undefined ? "the request" : entry.id;
  // A lenient counter counts anything; a plan cannot name it.
  if (typeof entryId !== "string") throw new TypeError("An entry has no id.");
  let given: Answer;
  try {
    given =
      entry === undefined
        ? counter.countRequest(tools, signal)
        : counter.countEntry(entry, viewer, signal);
  } catch (cause) {
    throw counterFailed(options, entryId, cause);
  }
  if (!isThenable(given)) return checked(options, entryId, given);
  return given.then(
    (counted) => checked(options, entryId, counted),
    (cause: unknown) => {
      throw counterFailed(options, entryId, cause);
    },
  );
}

function counterFailed({ counter, signal }: FitOptions, entryId: string, cause: unknown): unknown {
  throwIfAborted(signal);
  // Tools that no model takes are an option of the caller's, and no failure of the counter.
  if (isHistoryError(cause, "INVALID_OPTION")) return cause;
  const details = { counterId: counter.id, entryId };
  const message = `The token counter ${counter.id} failed. Nothing was changed.`;
  return new HistoryError(message, { code: "COUNTER_FAILED", details, cause });
}

function checked({ counter }: FitOptions, entryId: string, counted: number): number {
  if (Number.isInteger(counted) && counted >= 0) return counted;
  const received = String(counted);
  throw new HistoryError(
    `Expected the token counter to return a non-negative integer for ${entryId}, got ${received}.`,
    { code: "COUNTER_FAILED", details: { counterId: counter.id, entryId, received } },
  );
}
