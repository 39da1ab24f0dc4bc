/**
 * Returns how often a property is tried: `usual` times, or as many times more as the environment variable `LAW_RUNS` says.
 * `LAW_RUNS=10` is a longer run of every law that asks here, `LAW_RUNS=0.1` a glance.
 *
 * @param usual - Runs without the variable: few enough that the tests of a package take seconds.
 * @returns A whole number from 1.
 * @throws `Error` if `LAW_RUNS` is not a positive number.
 *
 * @example
 * ```ts no-run
 * import { lawRuns } from "@agent-history/testkit";
 * import fc from "fast-check";
 *
 * const property = fc.property(fc.string(), (text) => text.length >= 0);
 * fc.assert(property, { numRuns: lawRuns(200) });
 * ```
 */
export function lawRuns(usual: number): number {
  return Math.max(1, Math.round(usual * factor()));
}

function factor(): number {
  const given = environment()["LAW_RUNS"] ?? "";
  if (given.trim() === "") return 1;
  const value = Number(given);
  if (Number.isFinite(value) && value > 0) return value;
  throw new Error(`Expected LAW_RUNS to be a positive number, such as 10 or 0.1, got "${given}".`);
}

/** What the process was started with; nothing where there is no process. */
function environment(): Readonly<Record<string, string | undefined>> {
  const { process } = globalThis as { readonly process?: { readonly env?: object } };
  return { ...process?.env };
}
