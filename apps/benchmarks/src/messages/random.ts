/** Numbers that are the same in every run of one seed. */
export interface Random {
  /** An integer from 0 up to, and without, `end`. */
  readonly below: (end: number) => number;
  /** One of several. */
  readonly pick: <Item>(items: readonly [Item, ...Item[]]) => Item;
}

/** Makes a generator of pseudo-random numbers (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  const below = (end: number): number => Math.floor(next() * end);
  return { below, pick: (items) => items[below(items.length)] ?? items[0] };
}
