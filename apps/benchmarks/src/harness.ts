/** How a run is made. */
export interface RunOptions {
  /** Small sizes and few repeats, ours only: to see that everything works, not to quote. */
  readonly isQuick: boolean;
  readonly withPeers: boolean;
  /** Also runs the packages' own benches against what they promise. */
  readonly isCheck: boolean;
  /** Named by `--only`: measures also what takes long. */
  readonly isNamed: boolean;
  /** A folder of recorded dialogues. Default: generated ones only. */
  readonly data?: string;
}

/** What one part gives: its tables, and the promises that were broken. */
export interface Measured {
  readonly tables: readonly ResultTable[];
  readonly broken?: readonly string[];
}

/** A table of one measurement. */
export interface ResultTable {
  readonly title: string;
  /** What was measured, and what is left out. */
  readonly note: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** What one thing took, in milliseconds. */
export interface Timing {
  readonly minMs: number;
  readonly medianMs: number;
  readonly meanMs: number;
}

/**
 * Runs several things in turns, so that other load meets all of them, and nobody is always first.
 *
 * @param works - Each does one thing and returns how long that took, in milliseconds.
 */
export async function takeTurns(
  works: readonly (() => number | Promise<number>)[],
  repeats: number,
): Promise<readonly Timing[]> {
  const times = works.map((): number[] => []);
  for (let turn = 0; turn < repeats; turn++) {
    const order = [...works.keys()];
    for (const nth of turn % 2 === 0 ? order : order.toReversed()) {
      times[nth]?.push((await works[nth]?.()) ?? Number.NaN);
    }
  }
  return times.map(timingOf);
}

/** Returns how long some work took, in milliseconds. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  const result = work();
  // A microtask would be counted too.
  if (result instanceof Promise) await result;
  return performance.now() - start;
}

/** Sums up times of one thing. */
export function timingOf(times: readonly number[]): Timing {
  const sorted = times.toSorted((one, other) => one - other);
  return {
    minMs: sorted[0] ?? Number.NaN,
    medianMs: sorted[Math.floor(sorted.length / 2)] ?? Number.NaN,
    meanMs: times.reduce((sum, one) => sum + one, 0) / times.length,
  };
}

/** The fastest run and the median, as one cell: `1.2 / 1.5`. */
export function timingCell({ minMs, medianMs }: Timing): string {
  return `${milliseconds(minMs)} / ${milliseconds(medianMs)}`;
}

/** Milliseconds with three significant digits. */
export function milliseconds(value: number): string {
  if (value >= 100) return value.toLocaleString("en", { maximumFractionDigits: 0 });
  return value.toPrecision(value < 0.1 ? 2 : 3);
}

/** A share from 0 to 1 as percent. */
export function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`;
}

/** A count with separators. */
export function count(value: number): string {
  return Math.round(value).toLocaleString("en");
}

/** Returns what a request begins with that the one before began with, too. */
export function samePrefix<Item>(
  before: readonly Item[],
  now: readonly Item[],
  keyOf: (item: Item) => unknown,
): readonly Item[] {
  const end = now.findIndex((item, index) => {
    const other = before[index];
    return other === undefined || keyOf(item) !== keyOf(other);
  });
  return end < 0 ? now : now.slice(0, end);
}

/** US dollars for a million tokens of input: GPT-5.1's list price; an unchanged prefix is billed as cached. https://openai.com/api/pricing */
export const PRICE = { input: 1.25, cachedInput: 0.125 } as const;

/** What tokens cost, in US dollars. */
export function dollars(newTokens: number, cachedTokens: number): number {
  return (newTokens * PRICE.input + cachedTokens * PRICE.cachedInput) / 1_000_000;
}
