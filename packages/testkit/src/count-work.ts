import { countedMethods } from "./internal/counted-methods.ts";

/**
 * Counts the work that a function does, for tests that hold a cost without a clock: the elements that array methods, spreads, loops over
 * collections and destructuring walk over, functions that are called for elements, and what is asked of maps and sets. The same input gives the
 * same count, on any machine. What is counted runs several times as slow; a plain loop over indexes is not seen.
 *
 * @param run - Synchronous; what it calls is counted too.
 * @returns A number without a unit: compare it with the count of another input.
 *
 * @example
 * ```ts
 * import { countWork } from "@agent-history/testkit";
 *
 * const distinct = (words: readonly string[]) => words.filter((word, at) => words.indexOf(word) === at);
 * const work = (size: number) => {
 *   const words = Array.from({ length: size }, (_, nth) => `word ${nth}`);
 *   return countWork(() => distinct(words));
 * };
 * work(1000) > 50 * work(100);
 * // => true
 * ```
 */
export function countWork(run: () => unknown): number {
  let work = 0;
  const restores = countedMethods((amount) => {
    work += amount;
  });
  try {
    run();
    return work;
  } finally {
    for (const restore of restores) restore();
  }
}
