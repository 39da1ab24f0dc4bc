import { addFound } from "./fits-state.ts";
import type { FoundRule } from "./fits-state.ts";
import { generateCase } from "./generate-case.ts";
import { runCase } from "./run-case.ts";

/** Some neighboring histories of a run. */
export interface Share {
  readonly seed: number;
  readonly number: number;
  readonly from: number;
  readonly to: number;
}

/** What came of them. */
export interface ShareOutcome {
  readonly number: number;
  readonly histories: number;
  readonly calls: number;
  readonly found: readonly FoundRule[];
}

/** Runs them one after the other. */
export function runShare({ seed, number, from, to }: Share): ShareOutcome {
  let calls = 0;
  let found: readonly FoundRule[] = [];
  for (let nth = from; nth < to; nth++) {
    const own = caseSeed(seed, nth);
    const chaosCase = generateCase(own);
    calls += chaosCase.calls.length;
    const rules = new Set(runCase(chaosCase).map(({ law, rule }) => `${law} ${rule}`));
    found = addFound(
      found,
      [...rules].map((rule) => ({ rule, histories: 1, seeds: [own] })),
    );
  }
  return { number, histories: to - from, calls, found };
}

/** The seed of one history, which is enough to make it again. */
function caseSeed(seed: number, nth: number): number {
  const mixed = Math.imul(seed ^ 0x9e_37_79_b9, 0x85_eb_ca_6b);
  return (mixed + nth) >>> 0;
}
