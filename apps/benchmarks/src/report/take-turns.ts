import { loadavg } from "node:os";

import { median } from "./statistics.ts";

/** What one thing took, in milliseconds, while others took turns with it. */
export interface Timing {
  readonly minMs: number;
  readonly medianMs: number;
  readonly meanMs: number;
  /** The machine's load when it had run: processes that wanted to run, on average over a minute. */
  readonly load: number;
  /** Its two halves differ by more than a third, also after it was run again. */
  readonly isUnsteady: boolean;
}

/** What differs is run again this often. */
const MOST_RERUNS = 2;

/**
 * Runs several things in turns, so that what else the machine does meets all of them; nobody is always first. What differs between its
 * halves by more than a third is run again, and its last run counts.
 *
 * @param works - Each does one thing, and says how long that took, in milliseconds.
 * @param repeats - How often each is run, at least 2.
 */
export async function takeTurns(
  works: readonly (() => number | Promise<number>)[],
  repeats: number,
): Promise<readonly Timing[]> {
  const times: (readonly number[])[] = works.map(() => []);
  let left = Array.from(works.keys());
  for (let run = 0; run <= MOST_RERUNS && left.length > 0; run++) {
    const again = new Map(left.map((nth): [number, number[]] => [nth, []]));
    for (let turn = 0; turn < repeats; turn++) {
      for (const nth of turn % 2 === 0 ? left : left.toReversed()) {
        again.get(nth)?.push((await works[nth]?.()) ?? Number.NaN);
      }
    }
    for (const [nth, some] of again) times[nth] = some;
    left = left.filter((nth) => differs(times[nth] ?? []));
  }
  return times.map(timingOf);
}

/** Sums up the times of one thing, in the order in which they were taken. */
export function timingOf(times: readonly number[]): Timing {
  const [load = 0] = loadavg();
  return {
    minMs: Math.min(...times),
    medianMs: median(times),
    meanMs: times.reduce((sum, one) => sum + one, 0) / times.length,
    load,
    isUnsteady: differs(times),
  };
}

/** Returns whether the medians of the two halves differ by more than a third. */
export function differs(times: readonly number[]): boolean {
  const middle = Math.ceil(times.length / 2);
  const [first, second] = [median(times.slice(0, middle)), median(times.slice(middle))];
  return Math.max(first, second) > (Math.min(first, second) * 4) / 3;
}
