import { countOption, type ModelWindow, type TokenCounter } from "@agent-history/core";

import type { Calibration, Observation } from "./calibration.ts";
import { checkedCalibration, checkedObservation } from "./internal/checked-calibration.ts";
import { dividedLimit } from "./internal/divided-limit.ts";
import { invalidOption } from "./internal/invalid-option.ts";
import { errorBound, learn } from "./internal/learn.ts";

/** How a counter learns. */
export interface CalibratedCounterOptions {
  /** What an earlier counter has learnt: the result of its `calibration()`. */
  readonly calibration?: Calibration | undefined;
  /** The error assumed before anything is observed, as a share of the count, 0 or more; default 0.1. */
  readonly initialError?: number | undefined;
}

/** A counter that learns from what the provider reports. */
export interface CalibratedCounter extends TokenCounter {
  /**
   * Learns from an answered request: `counted` as by this counter (`plan.totalTokens`), `reported` as by the provider.
   *
   * @throws `HistoryError` with code `INVALID_OPTION` if one is not an integer of 0 or more.
   */
  observe(request: Observation): void;
  /** Returns what is known by now. Keep it, and make the next counter with it. */
  calibration(): Calibration;
  /** Returns the window with the margin that the known error needs, on top of its own margin. */
  withMargin(window: ModelWindow): ModelWindow;
}

/**
 * Wraps a counter, and learns from reported usage by what factor it is off and how far it can still be wrong.
 *
 * Its counts are the wrapped counter's times the factor, rounded up. The factor is that of the calibration it is made
 * with, and stays for as long as it lives: the same entry counts the same, and one id means one count. What it
 * observes goes into the margin at once, and into the factor of the next one: make one for each request (it costs
 * nothing, the wrapped counter remembers), or for each thread.
 *
 * A request that fits a window with the margin does not overflow it, as long as it lies no further above its count than
 * the furthest of the last 64. How likely is one that does? Whatever the texts, as long as they keep coming alike: 1 in n + 1
 * after n observations.
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
    countText: (text, limit) => scaled(counter.countText(text, dividedLimit(limit, factor))),
    countEntry: (entry, viewer) => scaled(counter.countEntry(entry, viewer)),
    countRequest: (tools) => scaled(counter.countRequest(tools)),
    observe(request) {
      const { counted, reported } = checkedObservation(request);
      known = learn(known, { counted: counted / factor, reported });
    },
    calibration: () => known,
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
    expected: "a number of 0 or more",
    received: error,
    hint: "0.1 assumes that the first count is at most a tenth too low.",
  });
}
