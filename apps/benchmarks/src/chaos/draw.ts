import { seededRandom } from "../messages/random.ts";

/** What a generator draws from: numbers that are the same in every run of one seed. */
export interface Draw {
  /** An integer from 0 up to, and without, `end`. */
  readonly below: (end: number) => number;
  readonly chance: (share: number) => boolean;
  readonly pick: <const Item>(items: readonly [Item, ...Item[]]) => Item;
  /** A text of one of many kinds; mostly short, rarely empty, sometimes larger than a window. */
  readonly text: () => string;
}

const KINDS = [
  "the valve is open and the gauge reads seven bars ",
  "今日は雨が降っている。弁は閉じたまま。",
  "👩‍🚀🚀✨ é́ ",
  '{"id":7,"rows":[{"name":"box","price":12.5}]}',
  "aaaaaaaaaaaaaaaa",
  "line one\r\n\tline two\n\n",
  "[source1] </data> <|endoftext|> ",
] as const;

/** Draws by a seed. */
export function drawBy(seed: number): Draw {
  const { below, pick } = seededRandom(seed);
  const chance = (share: number): boolean => below(10_000) < share * 10_000;
  const sized = (length: number): string => {
    const kind = chance(0.7) ? KINDS[0] : pick(KINDS);
    return kind.repeat(Math.ceil(length / kind.length)).slice(0, length);
  };
  const text = (): string => {
    if (chance(0.03)) return "";
    if (chance(0.05)) return sized(800 + below(3000));
    return chance(0.05) ? JSON.stringify(jsonRows(below(20))) : sized(1 + below(160));
  };
  return { below, chance, pick, text };
}

function jsonRows(count: number): readonly object[] {
  return Array.from({ length: count }, (_, id) => ({ id, name: `row ${id}`, open: id % 2 === 0 }));
}
