import { countOption, HistoryError, isHistoryError, throwIfAborted } from "@agent-history/core";
import type {
  HistoryEntry,
  HistoryView,
  ModelWindow,
  PlannedCompaction,
} from "@agent-history/core";

import type { FitOptions, UploadShares } from "../fit-options.ts";
import { namedFailure, requireScores, shareOption } from "../internal/check-options.ts";
import type { Recall } from "../recall.ts";

/** Checked options and values derived from them. */
export interface Context {
  readonly options: FitOptions;
  readonly view: HistoryView;
  /** Tokens available to entries. */
  readonly budget: number;
  /** Token count at which a cut that continues an earlier plan stops. */
  readonly lowTarget: number;
  /** How much a stateless fit reads from the end, in context windows. */
  readonly windows: number;
  /** Maximum tokens of one tool result. */
  readonly cap: number;
  readonly requestTokens: number;
  /** The summary that a provider wrote, and what it replaces. */
  readonly compaction?: PlannedCompaction | undefined;
  /** Share of the budget for the first request and its answer once the rest of their turn is dropped. */
  readonly firstRequestShare: number;
  readonly uploads: { readonly floor: number; readonly ceiling: number };
  /** Maximum tokens that the media of unknown size of one entry count. */
  readonly mostGuessed: number;
  /** A cut is made if more tokens than this are used. */
  readonly cutAbove: number;
  /** Quotes old entries; `undefined` if recall is off. */
  readonly recall: Recall | undefined;
  readonly count: (entry: HistoryEntry) => number;
  /** Calls the scorer and checks its scores. */
  readonly score: (question: string, entries: readonly HistoryEntry[]) => readonly number[];
  /** Returns the answer of a step or scorer. */
  readonly ask: (question: () => unknown) => unknown;
}

/** How a fit calls the counter, the steps and the scorer, which may be asynchronous. */
export interface Asker {
  readonly count: (entry: HistoryEntry | undefined) => number;
  readonly ask: Context["ask"];
}

/** Checks the options and computes the budget. */
export function openContext(given: FitOptions, { count, ask }: Asker, windows: number): Context {
  const { scorer: _, ...unscored } = given;
  const options: FitOptions = given.recall === "off" ? unscored : given;
  const { window, view = "thread", scorer } = options;
  const firstRequestShare = options.firstRequestShare ?? (given.scorer === undefined ? 0.1 : 0);
  shareOption("firstRequestShare", firstRequestShare, true);
  shareOption("lowWatermark", options.lowWatermark ?? 1);
  shareOption("maxResultShare", options.maxResultShare ?? 1);
  const available = promptTokens(window);
  const requestTokens = count(undefined);
  return {
    options,
    view,
    firstRequestShare,
    uploads: uploadShares(options.uploads),
    mostGuessed: Infinity,
    windows,
    recall: typeof options.recall === "object" ? options.recall : scorer?.recall,
    score: (question, entries) => {
      if (scorer === undefined) return entries.map(() => 0);
      try {
        const scores = ask(() => scorer.score(question, entries, options.signal));
        return requireScores(scorer, scores, entries.length);
      } catch (cause) {
        throw askFailed(scorer.name, cause, options.signal);
      }
    },
    ...amountsOf(available - requestTokens, options),
    requestTokens,
    count,
    ask,
  };
}

/** If reasoning is bound to its prefix, each cut invalidates earlier reasoning, so cuts are deeper and rarer. */
const LOW = { bound: 0.3, free: 0.6 };

function amountsOf(budget: number, { window, lowWatermark, maxResultShare = 0.5 }: FitOptions) {
  const low = lowWatermark ?? (window.reasoning === undefined ? LOW.free : LOW.bound);
  return {
    budget,
    cutAbove: budget,
    lowTarget: Math.floor(budget * low),
    cap: Math.floor(budget * maxResultShare),
  };
}

/** Returns a copy of the context with another budget. */
export function withBudget(context: Context, budget: number): Context {
  return { ...context, ...amountsOf(budget, context.options) };
}

function uploadShares({ floor = 0.2, ceiling = 0.6 }: UploadShares = {}): Context["uploads"] {
  if (floor >= 0 && floor <= ceiling && ceiling <= 1) return { floor, ceiling };
  throw new HistoryError(`Expected 0 ≤ \`floor\` ≤ \`ceiling\` ≤ 1, got ${floor} and ${ceiling}.`, {
    code: "INVALID_OPTION",
    details: { option: "uploads" },
  });
}

/** Returns the error to throw if a step or scorer failed. A symbol that stops a run and an error that asks for the async form are returned unchanged; an abort is thrown. */
export function askFailed(name: string, cause: unknown, signal: AbortSignal | undefined): unknown {
  const isAsyncOnly =
    isHistoryError(cause, "INVALID_OPTION") && cause.details["option"] === "counter";
  if (typeof cause === "symbol" || isAsyncOnly) return cause;
  throwIfAborted(signal);
  return namedFailure(name, cause);
}

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

type CountsByViewer = Map<string | undefined, WeakMap<HistoryEntry, number>>;

const countsByCounter = new WeakMap<object, WeakMap<object, CountsByViewer>>();

/** Token counts by counter, format and viewer, so that no entry object is counted twice. */
function countsOf({ counter, asWritten, viewer }: FitOptions): WeakMap<HistoryEntry, number> {
  const byFormat = countsByCounter.get(counter) ?? new WeakMap<object, CountsByViewer>();
  countsByCounter.set(counter, byFormat);
  const byViewer: CountsByViewer = byFormat.get(asWritten ?? counter) ?? new Map();
  byFormat.set(asWritten ?? counter, byViewer);
  const known = byViewer.get(viewer?.agentId) ?? new WeakMap();
  byViewer.set(viewer?.agentId, known);
  return known;
}

/** Runs a fit whose counter, steps and scorer are synchronous. */
export function runAtOnce<Result>(options: FitOptions, fit: (asker: Asker) => Result): Result {
  throwIfAborted(options.signal);
  const known = countsOf(options);
  const count = (entry: HistoryEntry | undefined): number => {
    const before = entry && known.get(entry);
    if (before !== undefined) return before;
    const counted = atOnce(askCounter(options, entry));
    if (entry !== undefined) known.set(entry, counted);
    return counted;
  };
  return fit({ count, ask: (question) => atOnce(question()) });
}

function atOnce<Value>(value: Value | PromiseLike<Value>): Value {
  if (!isThenable(value)) return value;
  value.then(undefined, () => undefined);
  throw new HistoryError(
    "The counter, a step or the scorer is asynchronous. Use fitToWindowAsync.",
    { code: "INVALID_OPTION", details: { option: "counter" } },
  );
}

/** Thrown to stop a run that needs a pending answer. */
const UNANSWERED = Symbol("unanswered");

/**
 * Runs a fit whose counter, steps or scorer may be asynchronous: repeats the fit, each time with more answers. Pending counts are
 * guessed, so that one run finds nearly everything that must be counted; a step or scorer is called only when no count is pending.
 */
export async function runUntilAnswered<Result>(
  options: FitOptions,
  fit: (asker: Asker) => Result,
): Promise<Result> {
  const { signal } = options;
  const known = new Map<HistoryEntry | string | undefined, number>();
  /** Answers by question number: a fit asks the same questions in the same order each time. */
  const answers = new Map<number, () => unknown>();
  for (;;) {
    throwIfAborted(signal);
    const open = new Map<string, PromiseLike<number>>();
    let pending: PromiseLike<unknown> | undefined;
    let next = 0;
    const count = (entry: HistoryEntry | undefined): number => {
      const before = known.get(entry);
      if (before !== undefined) return before;
      // Each run creates new objects for edits and recall blocks; match them by content.
      const content = JSON.stringify(entry) ?? "";
      const same = known.get(content);
      if (same !== undefined) known.set(entry, same);
      if (same !== undefined || open.has(content)) return same ?? guess(entry);
      const answer = askCounter(options, entry);
      if (isThenable(answer)) {
        open.set(content, answer);
        return guess(entry);
      }
      known.set(entry, answer);
      return answer;
    };
    const ask: Asker["ask"] = (question) => {
      const nth = next++;
      const answer = answers.get(nth);
      if (answer !== undefined) return answer();
      if (open.size > 0) throw UNANSWERED;
      const given = question();
      if (!isThenable(given)) return given;
      pending = given.then(
        (value) => answers.set(nth, () => value),
        (cause: unknown) =>
          answers.set(nth, () => {
            throw cause;
          }),
      );
      throw UNANSWERED;
    };
    try {
      const result = fit({ count, ask });
      if (open.size === 0) return result;
    } catch (error) {
      if (open.size === 0 && pending === undefined) throw error;
    }
    const counts = [...open].map(async ([content, answer]) => known.set(content, await answer));
    await untilAborted(Promise.all([...counts, pending]), signal);
  }
}

function guess(entry: HistoryEntry | undefined): number {
  return typeof entry?.content === "string" ? Math.ceil(entry.content.length / 4) : 1;
}

async function untilAborted(
  work: Promise<unknown>,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (signal === undefined) return void (await work);
  let stop = (): void => undefined;
  const aborted = new Promise<void>((resolve) => {
    stop = resolve;
  });
  signal.addEventListener("abort", stop);
  if (!signal.aborted) await Promise.race([work, aborted]);
  signal.removeEventListener("abort", stop);
}

/** Calls the counter for an entry, or for the request if there is none, and checks the result. */
function askCounter(
  options: FitOptions,
  entry: HistoryEntry | undefined,
): number | PromiseLike<number> {
  const { counter, asWritten = (one) => one, viewer, tools, signal } = options;
  const entryId = entry === undefined ? "the request" : entry.id;
  if (typeof entryId !== "string") throw new TypeError("An entry has no id.");
  const failed = (cause: unknown): unknown => {
    throwIfAborted(signal);
    if (isHistoryError(cause, "INVALID_OPTION")) return cause;
    return new HistoryError(`The token counter ${counter.id} failed. Nothing was changed.`, {
      code: "COUNTER_FAILED",
      details: { counterId: counter.id, entryId },
      cause,
    });
  };
  const checked = (counted: number): number => {
    if (Number.isInteger(counted) && counted >= 0) return counted;
    const received = String(counted);
    throw new HistoryError(
      `Expected the token counter to return a non-negative integer for ${entryId}, got ${received}.`,
      { code: "COUNTER_FAILED", details: { counterId: counter.id, entryId, received } },
    );
  };
  let given: number | PromiseLike<number>;
  try {
    given =
      entry === undefined
        ? counter.countRequest(tools, signal)
        : counter.countEntry(asWritten(entry, viewer ?? {}), viewer, signal);
  } catch (cause) {
    throw failed(cause);
  }
  if (!isThenable(given)) return checked(given);
  return given.then(checked, (cause: unknown) => {
    throw failed(cause);
  });
}

/** Returns whether a value is a promise or another thenable. */
function isThenable<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  return (
    typeof value === "object" &&
    value !== null &&
    "then" in value &&
    typeof value.then === "function"
  );
}
