import { brokenCounts, countAll, countTable } from "./count.ts";
import type { Measured, MeasureOptions } from "./measured.ts";

/** Measures the counters: tokens a second by kind of text. */
export async function measureCount({ isQuick }: MeasureOptions): Promise<Measured> {
  const size = isQuick ? { repeats: 2, characters: 20_000 } : { repeats: 6, characters: 1_500_000 };
  const figures = await countAll(size);
  return {
    tables: [countTable(figures)],
    broken: brokenCounts(isQuick ? [] : figures),
  };
}
