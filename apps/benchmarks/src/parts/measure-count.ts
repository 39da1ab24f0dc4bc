import { brokenStarts, publishedStarts, startsAll, startTable } from "./count-start.ts";
import { brokenCounts, countAll, countTable } from "./count.ts";
import type { Measured, MeasureOptions } from "./measured.ts";

/** Measures the counters: tokens a second by kind of text, and the first count of a process. */
export async function measureCount({ isQuick }: MeasureOptions): Promise<Measured> {
  const size = isQuick ? { repeats: 2, characters: 20_000 } : { repeats: 6, characters: 1_500_000 };
  const figures = await countAll(size);
  const flags = ["--conditions=@agent-history/source"];
  const starts = isQuick ? await startsAll({ repeats: 2, flags }) : await publishedStarts(10);
  return {
    tables: [countTable(figures), startTable(starts)],
    broken: [...brokenCounts(isQuick ? [] : figures), ...(isQuick ? [] : brokenStarts(starts))],
  };
}
