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

/** Options, checked, with what follows from them. */
export interface Context {
  readonly options: FitOptions;
  readonly view: HistoryView;
  /** Tokens that entries may use. */
  readonly budget: number;
  /** Where a cut that follows an earlier plan stops. */
  readonly lowTarget: number;
  /** How many windows a stateless fit looks at. */
  readonly windows: number;
  /** What one tool result may have. */
  readonly cap: number;
  readonly requestTokens: number;
  /** What a provider summarized, and where its summary stands. */
  readonly compaction?: PlannedCompaction | undefined;
  /** What the first request may have once what follows it is gone. */
  readonly firstRequestShare: number;
  readonly uploads: { readonly floor: number; readonly ceiling: number };
  /** A cut is made where more is used than this. */
  readonly cutAbove: number;
  /** What quotes old entries. */
  readonly recall: Recall | undefined;
  readonly count: (entry: HistoryEntry) => number;
  /** Asks the scorer, and checks what it says. */
  readonly score: (question: string, entries: readonly HistoryEntry[]) => readonly number[];
  /** Returns what a step or a scorer says. */
  readonly ask: (question: () => unknown) => unknown;
}

/** How a fit asks what may answer later. */
export interface Asker {
  readonly count: (entry: HistoryEntry | undefined) => number;
  readonly ask: Context["ask"];
}

/** Checks the options and works out the budget. */
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

/** Where reasoning is bound, a cut gives up what was thought before it: deep cuts are rare ones. */
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

/** Returns a context whose entries may use fewer tokens. */
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

/** Returns what to throw if a step or a scorer failed: what stops a run, or asks for the async form, arrives as it is. */
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

/** What a counter has said of entries as a format writes them: no object is counted twice. */
function countsOf({ counter, asWritten, viewer }: FitOptions): WeakMap<HistoryEntry, number> {
  const byFormat = countsByCounter.get(counter) ?? new WeakMap<object, CountsByViewer>();
  countsByCounter.set(counter, byFormat);
  const byViewer: CountsByViewer = byFormat.get(asWritten ?? counter) ?? new Map();
  byFormat.set(asWritten ?? counter, byViewer);
  const known = byViewer.get(viewer?.agentId) ?? new WeakMap();
  byViewer.set(viewer?.agentId, known);
  return known;
}

/** Runs a fit whose counter, steps and scorer answer at once. */
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

/** Stops a run that cannot go on without an answer. */
const UNANSWERED = Symbol("unanswered");

/**
 * Runs a fit whose counter, steps or scorer may answer later: the same fit again and again, each time with more answers. What is not counted yet
 * is guessed, so that one run finds out nearly all that must be counted; a step is asked once all is.
 */
export async function runUntilAnswered<Result>(
  options: FitOptions,
  fit: (asker: Asker) => Result,
): Promise<Result> {
  const { signal } = options;
  const known = new Map<HistoryEntry | string | undefined, number>();
  /** What was waited for, by the number of the question: a fit asks the same in the same order each time. */
  const answers = new Map<number, () => unknown>();
  for (;;) {
    throwIfAborted(signal);
    const open = new Map<string, PromiseLike<number>>();
    let pending: PromiseLike<unknown> | undefined;
    let next = 0;
    const count = (entry: HistoryEntry | undefined): number => {
      const before = known.get(entry);
      if (before !== undefined) return before;
      // An edit or a recall block is made again in each run.
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

/** Asks the counter about an entry, or else about the request, and checks what it says. */
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

/** Returns whether a value must be awaited, whoever made its promise. */
function isThenable<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  return (
    typeof value === "object" &&
    value !== null &&
    "then" in value &&
    typeof value.then === "function"
  );
}
