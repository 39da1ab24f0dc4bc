import type { ResultTable } from "../report/result-table.ts";
import { milliseconds } from "../report/statistics.ts";
import { takeTurns } from "../report/take-turns.ts";
import type { Timing } from "../report/take-turns.ts";
import { stageWorks } from "./stage-works.ts";
import type { Prepared } from "./stage-works.ts";

/** What one stage took, beside the least that does its work. */
export interface StageFigures {
  readonly what: string;
  readonly own: Timing;
  readonly bare: Timing;
  /** How many times as long it may take. */
  readonly mostTimes: number;
  /** How much text it reads, where that is promised by the second. */
  readonly characters?: number;
}

/** What an index promises, in megabytes of text a second. */
const LEAST_MEGABYTES = 10;

/** Measures stages in turns with the least that does their work. */
export async function stagesAll(
  entries: number,
  repeats: number,
): Promise<readonly StageFigures[]> {
  const stages = stageWorks(entries);
  const timings = await takeTurns(
    stages.flatMap(({ own, bare }) => [() => timeOf(own), () => timeOf(bare)]),
    repeats,
  );
  return stages.flatMap(({ what, mostTimes, characters }, nth) => {
    const [own, bare] = timings.slice(2 * nth);
    if (own === undefined || bare === undefined) return [];
    return [{ what, own, bare, mostTimes, ...(characters !== undefined && { characters }) }];
  });
}

function timeOf(prepare: Prepared): number {
  const work = prepare();
  const start = performance.now();
  work();
  return performance.now() - start;
}

/** Draws what was found. */
export function stagesTable(figures: readonly StageFigures[]): ResultTable {
  return {
    title: "Stages: filters and cleaning beside the least that does the work",
    note: "Milliseconds, the fastest run and the median, in turns. Bare: one `filter` over the entries, one regular expression over the text, an index of MiniSearch with its defaults, one `split` of the text and a count of its words. Times, and megabytes of text a second: of the fastest runs.",
    head: [
      "stage",
      "fastest",
      "median",
      "bare, fastest",
      "bare, median",
      "times",
      "at most",
      "MB/s",
      "load",
    ],
    rows: figures.map(({ what, own, bare, mostTimes, characters }) => [
      what,
      milliseconds(own.minMs),
      `${milliseconds(own.medianMs)}${own.isUnsteady ? " (unsteady)" : ""}`,
      milliseconds(bare.minMs),
      milliseconds(bare.medianMs),
      timesOf(own, bare),
      String(mostTimes),
      characters === undefined ? "–" : megabytesPerSecond(characters, own).toFixed(1),
      own.load.toFixed(1),
    ]),
    figures,
  };
}

function timesOf(own: Timing, bare: Timing): string {
  const times = own.minMs / bare.minMs;
  return times < 1 ? times.toPrecision(2) : times.toFixed(1);
}

function megabytesPerSecond(characters: number, { minMs }: Timing): number {
  return characters / 1000 / minMs;
}

/** Finds what takes more times as long as promised, or reads less text a second. */
export function brokenStages(figures: readonly StageFigures[]): readonly string[] {
  const slow = figures
    .filter(({ own, bare, mostTimes }) => own.minMs > mostTimes * bare.minMs)
    .map(
      ({ what, own, bare, mostTimes }) =>
        `${what} takes ${timesOf(own, bare)} times what is bare, expected at most ${mostTimes}.`,
    );
  const few = figures.flatMap(({ what, own, characters }) => {
    const megabytes = characters === undefined ? Infinity : megabytesPerSecond(characters, own);
    if (megabytes >= LEAST_MEGABYTES) return [];
    return [`${what} reads ${megabytes.toFixed(1)} MB/s, expected ${LEAST_MEGABYTES} or more.`];
  });
  return [...slow, ...few];
}
