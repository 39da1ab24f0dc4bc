import { countOption, isObject, type ModelWindow, type TokenCounter } from "@agent-history/core";

import { dividedLimit } from "./internal/create-counter.ts";
import { invalidOption } from "./internal/invalid-option.ts";

/** Options of {@link calibratedCounter}. */
export interface CalibratedCounterOptions {
  /** The result of `calibration()` of an earlier counter. Default: nothing was observed yet. */
  readonly calibration?: Calibration | undefined;
  /** The error to assume before anything is observed, as a share of the count, 0 or more. Default 0.1. */
  readonly initialError?: number | undefined;
}

/** The state of a calibrated counter, as plain JSON: store it, and pass it to the next counter. */
export interface Calibration {
  /** Reported tokens for each token that the wrapped counter counts. */
  readonly factor: number;
  /** The latest requests, oldest first; at most 64. */
  readonly observations: readonly Observation[];
}

/** One answered request. */
export interface Observation {
  /** Counted tokens of the whole request. */
  readonly counted: number;
  /** Tokens of the prompt in the usage that the provider reported. */
  readonly reported: number;
}

/** A counter that learns from reported usage. */
export interface CalibratedCounter extends TokenCounter {
  /**
   * Learns from an answered request: `counted` by this counter (`plan.totalTokens`), `reported` by the provider.
   *
   * @throws `HistoryError` with code `INVALID_OPTION` if one is not a non-negative integer.
   */
  observe(request: Observation): void;
  /** Returns the current state. Store it, and create the next counter with it. */
  calibration(): Calibration;
  errorOf(tokens: number): number;
  /** Returns the window with a margin for the observed error, added to its own margin. */
  withMargin(window: ModelWindow): ModelWindow;
}

/**
 * Wraps a counter, and learns a correction factor and the remaining error from reported usage.
 *
 * Counts are those of the wrapped counter times the factor, rounded up. The factor comes from the calibration that the counter was created
 * with and never changes, so that the same entry always counts the same and an id identifies a count. Observations change the
 * margin immediately, and the factor of the next counter: create one for each request (this is cheap, because the wrapped
 * counter caches), or for each thread.
 *
 * A request that fits a window with the margin does not overflow it, unless its error is larger than that of the last 64
 * requests. If requests stay alike, the probability of that is 1 in n + 1 after n observations.
 *
 * @throws `HistoryError` with code `INVALID_OPTION`.
 *
 * @example
 * ```ts
 * import { calibratedCounter, tiktokenCounter } from "@agent-history/tokens";
 *
 * const exact = tiktokenCounter({ encoding: "o200k_base" });
 * const first = calibratedCounter(exact);
 * first.withMargin({ contextTokens: 110_000 });
 * // => { contextTokens: 110000, marginTokens: 10000 }
 * first.observe({ counted: 20_000, reported: 24_000 });
 * first.withMargin({ contextTokens: 120_000 });
 * // => { contextTokens: 120000, marginTokens: 20000 }
 *
 * const stored = JSON.stringify(first.calibration());
 * const next = calibratedCounter(exact, { calibration: JSON.parse(stored) });
 * next.countText("tiktoken is great!");
 * // => 8
 * ```
 */
export function calibratedCounter(
  counter: TokenCounter,
  options: CalibratedCounterOptions = {},
): CalibratedCounter {
  const initialError = checkedError(options.initialError ?? 0.1);
  let known = checkedCalibration(options.calibration ?? { factor: 1, observations: [] });
  const { factor } = known;
  const scaled = (tokens: number): number => Math.ceil(tokens * factor);

  return {
    id: factor === 1 ? counter.id : `${counter.id}*${factor}`,
    ...(counter.isEstimate === true && { isEstimate: true }),
    countText: (text, limit) => scaled(counter.countText(text, dividedLimit(limit, factor))),
    countEntry: (entry, viewer) => scaled(counter.countEntry(entry, viewer)),
    ...(counter.countMedia && {
      countMedia: (entry) =>
        (counter.countMedia?.(entry) ?? []).map((one) => ({ ...one, tokens: scaled(one.tokens) })),
    }),
    countRequest: (tools) => scaled(counter.countRequest(tools)),
    observe(request) {
      const { counted, reported } = request;
      if (
        !Number.isSafeInteger(counted) ||
        !Number.isSafeInteger(reported) ||
        !isObservation(request)
      )
        throw invalidOption("request", {
          expected: "{ counted, reported } in whole tokens",
          received: request,
          hint: "Pass the tokens of the whole request, as counted and as the provider reports them.",
        });
      known = learn(known, { counted: counted / factor, reported });
    },
    calibration: () => known,
    errorOf(tokens) {
      const { percent, surplusTokens } = errorBound({ ...known, factor }, initialError);
      return Math.ceil((tokens * percent) / 100 + surplusTokens);
    },
    withMargin(window) {
      const free = freeTokens(window);
      if (free === Infinity) return window;
      const { percent, surplusTokens } = errorBound({ ...known, factor }, initialError);
      const usable = Math.floor(((free - surplusTokens) * 100) / (100 + percent));
      const marginTokens = (window.marginTokens ?? 0) + Math.max(0, free - Math.max(0, usable));
      return { ...window, marginTokens };
    },
  };
}

function freeTokens(window: ModelWindow): number {
  const { contextTokens, outputReserveTokens = 0, marginTokens = 0 } = window;
  return (
    countOption("window.contextTokens", contextTokens) -
    countOption("window.outputReserveTokens", outputReserveTokens) -
    countOption("window.marginTokens", marginTokens)
  );
}

function checkedError(error: number): number {
  if (error >= 0 && error < Infinity) return error;
  throw invalidOption("initialError", {
    expected: "a non-negative number",
    received: error,
    hint: "0.1 assumes that the first count is at most a tenth too low.",
  });
}

/** Observations that are kept: the next request exceeds the highest of them once in 65 times. */
const MOST_OBSERVATIONS = 64;

/** In smaller requests, in counted tokens, the fixed overhead outweighs the difference between tokenizers. */
const SMALL_REQUEST = 1000;

/** The factor changes only if it is this far off, because each change invalidates all stored counts. */
const TOLERATED_DRIFT = 0.05;

/** Learns from one more request, counted by the wrapped counter. */
function learn(known: Calibration, observation: Observation): Calibration {
  const observations = [...known.observations, observation].slice(-MOST_OBSERVATIONS);
  const large = observations.filter(isLarge);
  const average = total(large, "reported") / total(large, "counted");
  const drifted = Math.abs(average / known.factor - 1) > TOLERATED_DRIFT;
  return {
    factor: drifted && average > 0 ? hundredths(average) / 100 : known.factor,
    observations,
  };
}

/**
 * Returns the least bound that holds for all observations, but at least `initialError` divided by the number of large ones plus
 * one: few observations prove little. The share moves in whole percents, so that a window rarely changes.
 */
function errorBound(
  { factor, observations }: Calibration,
  initialError: number,
): { readonly percent: number; readonly surplusTokens: number } {
  const large = observations.filter(isLarge);
  const errors = large.map(({ counted, reported }) => reported / (counted * factor) - 1);
  const surplus = observations
    .filter((observation) => !isLarge(observation))
    .map(({ counted, reported }) => reported - counted * factor);
  const share = Math.max(initialError / (large.length + 1), most(errors));
  return { percent: hundredths(share), surplusTokens: Math.ceil(most(surplus)) };
}

/** The highest of some numbers, or 0. */
function most(numbers: readonly number[]): number {
  return numbers.reduce((highest, one) => Math.max(highest, one), 0);
}

function isLarge({ counted }: Observation): boolean {
  return counted >= SMALL_REQUEST;
}

function total(observations: readonly Observation[], key: keyof Observation): number {
  return observations.reduce((sum, observation) => sum + observation[key], 0);
}

/** Returns a value in hundredths, rounded up, without floating-point noise. */
function hundredths(value: number): number {
  return Math.ceil(value * 100 - 1e-9);
}

/** Checks a stored calibration. @throws `HistoryError` with code `INVALID_OPTION`. */
function checkedCalibration(calibration: Calibration): Calibration {
  const { factor, observations }: Partial<Calibration> = isObject(calibration) ? calibration : {};
  const isAny = isAmount(factor) && factor > 0 && Array.isArray(observations);
  if (isAny && observations.every(isObservation)) return calibration;
  throw invalidOption("calibration", {
    expected: "a value that calibration() returned",
    received: calibration,
    hint: "Omit it to start again.",
  });
}

function isObservation(value: unknown): boolean {
  return isObject(value) && isAmount(value["counted"]) && isAmount(value["reported"]);
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value < Infinity;
}
