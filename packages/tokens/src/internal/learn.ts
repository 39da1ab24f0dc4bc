import type { Calibration, Observation } from "../calibration.ts";

/** What is remembered: enough that the next request exceeds the highest of them once in 65 times. */
const MOST_OBSERVATIONS = 64;

/** Below, what the provider adds to every request outweighs how it tokenizes. In counted tokens. */
const SMALL_REQUEST = 1000;

/** The factor follows when it is this far off: a factor that always moves would change every stored count. */
const TOLERATED_DRIFT = 0.05;

/** Learns from one more request, counted by the wrapped counter. */
export function learn(known: Calibration, observation: Observation): Calibration {
  const observations = [...known.observations, observation].slice(-MOST_OBSERVATIONS);
  const large = observations.filter(isLarge);
  const average = total(large, "reported") / total(large, "counted");
  const drifted = Math.abs(average / known.factor - 1) > TOLERATED_DRIFT;
  return {
    factor: drifted && average > 0 ? hundredths(average) / 100 : known.factor,
    observations,
  };
}

/** How far a request may lie above `factor` times its count. */
export interface ErrorBound {
  /** A share of the count, in whole percents. */
  readonly percent: number;
  /** Tokens on top of it, whatever the size. */
  readonly surplusTokens: number;
}

/**
 * Returns the least bound that all remembered requests keep, not below `initialError` shared among the large ones and one
 * more: few observations prove little. The share moves in whole percents, so that a window rarely changes.
 */
export function errorBound(
  { factor, observations }: Calibration,
  initialError: number,
): ErrorBound {
  const large = observations.filter(isLarge);
  const errors = large.map(({ counted, reported }) => reported / (counted * factor) - 1);
  const share = Math.max(0, initialError / (large.length + 1), most(errors));
  const surplus = observations
    .filter((observation) => !isLarge(observation))
    .map(({ counted, reported }) => reported - counted * factor);
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

/** Returns a value in hundredths, rounded up; one that is whole but for its last binary digits is whole. */
function hundredths(value: number): number {
  return Math.ceil(value * 100 - 1e-9);
}
