import type { ResultTable } from "../report/result-table.ts";
import { generatedDialogues, readDialogues } from "../messages/dialogue.ts";
import { allSystems, ownSystems, peerSystems } from "../systems/all-systems.ts";
import { bareWalk } from "../systems/bare-walk.ts";
import { lexical, newestFirst, plainBm25 } from "../systems/rankers.ts";
import { cacheOf, cacheTable } from "./cache.ts";
import { correctTable, generatedCases, judge, recordedCases } from "./correct.ts";
import type { Case } from "./correct.ts";
import { countAll, countTable } from "./count.ts";
import { evidenceOf, evidenceTable } from "./evidence.ts";
import { fitAll, fitPromises, fitTable } from "./fit.ts";
import { sizeOfOurs, sizeTable } from "./size.ts";

/** What is measured, and how thoroughly. */
export interface MeasureOptions {
  readonly isQuick: boolean;
  readonly withPeers: boolean;
  readonly only: readonly string[];
  /** The folder of recorded conversations. */
  readonly data?: string;
  readonly onTable: (table: ResultTable) => void;
}

/** What one part gives: its tables, and the promises that were broken. */
interface Measured {
  readonly tables: readonly ResultTable[];
  readonly broken?: readonly string[];
}

type Part = (options: MeasureOptions) => Promise<Measured>;

const PARTS: Readonly<Record<string, Part>> = { fit, correct, evidence, cache, count, size };

/** The parts by the names that `--only` takes. */
export const PART_NAMES: readonly string[] = Object.keys(PARTS);

/** Measures the parts asked for, one after the other. */
export async function measureParts(
  options: MeasureOptions,
): Promise<{ readonly tables: readonly ResultTable[]; readonly broken: readonly string[] }> {
  const tables: ResultTable[] = [];
  const broken: string[] = [];
  for (const name of options.only) {
    const part = PARTS[name];
    if (part === undefined) throw new Error(`Expected parts of ${PART_NAMES.join(", ")}, got ${name}.`);
    const measured = await part(options);
    measured.tables.forEach(options.onTable);
    tables.push(...measured.tables);
    broken.push(...(measured.broken ?? []));
  }
  return { tables, broken };
}

async function fit({ isQuick, withPeers }: MeasureOptions): Promise<Measured> {
  const systems = withPeers ? await allSystems() : [bareWalk(), ...ownSystems()];
  const sizes = isQuick ? [100, 1000] : [100, 1000, 10_000, 100_000];
  const repeats = isQuick ? { repeats: 3, budgetMs: 50 } : { repeats: 5, budgetMs: 2000 };
  const windows = isQuick ? [8000] : [8000, 100_000];
  const figures = windows.map((windowTokens) => fitAll(systems, { sizes, windowTokens, ...repeats }));
  const promises = fitPromises(figures[0] ?? []);
  return {
    tables: figures.map(fitTable),
    broken: promises.flatMap(({ promise, isKept, ratio }) =>
      isKept ? [] : [`Promised: ${promise}; measured: ${ratio.toFixed(1)} times.`],
    ),
  };
}

async function correct({ isQuick, withPeers, data }: MeasureOptions): Promise<Measured> {
  const systems = [...ownSystems(), ...(withPeers ? await peerSystems() : [])];
  const cases: [title: string, cases: readonly Case[]][] = [
    ["Correct: generated conversations", generatedCases(isQuick ? 100 : 1000)],
    ...(data === undefined
      ? []
      : [["Correct: recorded conversations", recordedCases(data)] as [string, readonly Case[]]]),
  ];
  const tables: ResultTable[] = [];
  const broken: string[] = [];
  for (const [title, all] of cases) {
    const figures = [];
    for (const system of systems) figures.push(await judge(system, all));
    tables.push(correctTable(`${title}, ${all.length.toLocaleString("en")} cases`, figures));
    for (const { system, faults } of figures.filter((one) => one.system.startsWith("agent-history"))) {
      const found = Object.entries(faults).filter(([, count]) => count > 0);
      for (const [fault, count] of found) broken.push(`${system}: ${fault} in ${count} cases.`);
    }
  }
  return { tables, broken };
}

async function evidence({ isQuick, data }: MeasureOptions): Promise<Measured> {
  const dialogues = data === undefined ? generatedDialogues(isQuick ? 1 : 5) : readDialogues(data);
  const source = data === undefined ? "generated dialogues" : "LoCoMo";
  const figures = [newestFirst, plainBm25, lexical].map((ranker) => evidenceOf(ranker, dialogues));
  return { tables: [evidenceTable(source, figures)] };
}

async function cache({ isQuick, withPeers }: MeasureOptions): Promise<Measured> {
  const systems = [...ownSystems(), ...(withPeers ? await peerSystems() : [])];
  const size = { turns: isQuick ? 60 : 1000, windowTokens: isQuick ? 2000 : 8000 };
  const figures = [];
  // Those that count every message anew at every turn would take hours for the same answer.
  for (const system of systems.filter(({ maxMessages }) => maxMessages !== 1000)) {
    figures.push(await cacheOf(system, size));
  }
  return { tables: [cacheTable(figures)] };
}

async function count({ isQuick }: MeasureOptions): Promise<Measured> {
  return { tables: [countTable(countAll(isQuick ? { repeats: 1, texts: 10 } : { repeats: 5, texts: 400 }))] };
}

async function size(): Promise<Measured> {
  return { tables: [sizeTable(await sizeOfOurs())] };
}
