import { ordinaryTurn } from "../messages/generate-history.ts";
import { seededRandom } from "../messages/random.ts";
import type { ResultTable } from "../report/result-table.ts";
import { milliseconds } from "../report/statistics.ts";
import { takeTurns } from "../report/take-turns.ts";
import type { Timing } from "../report/take-turns.ts";
import type { FitSystem } from "../systems/fit-system.ts";

/** What one system took for a whole conversation that grows, in milliseconds. */
export interface GrowingFigures {
  readonly system: string;
  readonly turns: number;
  /** Missing where it would have taken too long. */
  readonly took: Timing | undefined;
}

/** A conversation, and how often it is had. */
export interface GrowingRequest {
  readonly turns: number;
  readonly repeats: number;
  readonly windowTokens: number;
}

/** What would take longer than this, guessed by a tenth of the turns and the power of two, is not run. */
const LONGEST_MS = 20_000;

/** Has the same conversation with each system, from its first turn on: messages in and messages out at each, those before being the same objects. */
export async function growingAll(
  systems: readonly FitSystem[],
  { turns, repeats, windowTokens }: GrowingRequest,
): Promise<readonly GrowingFigures[]> {
  const quick = new Set<FitSystem>();
  for (const system of systems) {
    const few = Math.ceil(turns / 10);
    // The first is slower: nothing is compiled.
    const tenths = [
      await timeOf(system, few, windowTokens),
      await timeOf(system, few, windowTokens),
    ];
    if (Math.min(...tenths) * 100 < LONGEST_MS) quick.add(system);
  }
  const run = [...quick];
  const works = run.map((system) => () => timeOf(system, turns, windowTokens));
  const timings = await takeTurns(works, repeats);
  const took = new Map(run.map((system, nth) => [system, timings[nth]]));
  return systems.map((system) => ({ system: system.name, turns, took: took.get(system) }));
}

async function timeOf(system: FitSystem, turns: number, windowTokens: number): Promise<number> {
  const random = seededRandom(5);
  const conversation = system.open([{ role: "system", content: "You help." }], windowTokens);
  let ms = 0;
  for (let turn = 0; turn < turns; turn++) {
    const added = ordinaryTurn(random, turn);
    const start = performance.now();
    conversation.append(added);
    const fitted = conversation.fit();
    // Nothing is waited for that need not be: a microtask would be counted too.
    if (fitted instanceof Promise) await fitted;
    ms += performance.now() - start;
  }
  return ms;
}

/** Draws what was found. */
export function growingTable(rows: readonly GrowingFigures[]): ResultTable {
  const { turns = 0 } = rows[0] ?? {};
  return {
    title: `Call: ${turns.toLocaleString("en")} turns of one conversation, from its first message on`,
    note: "Milliseconds of all turns together, the fastest run and the median, at a window of 8,000 tokens; the systems take turns. Each turn adds a question, a call, its result and an answer, and is fitted, messages in and messages out. What would take more than 20 s, by a tenth of the turns, is not run.",
    head: ["system", "fastest", "median", "load"],
    rows: rows.map(({ system, took }) =>
      took === undefined
        ? [system, "not run", "", ""]
        : [
            system,
            milliseconds(took.minMs),
            `${milliseconds(took.medianMs)}${took.isUnsteady ? " (unsteady)" : ""}`,
            took.load.toFixed(1),
          ],
    ),
    figures: rows,
  };
}

const OWN = "agent-history";

/** What is promised: also who hands in the whole chat at each turn is quicker than with every peer that keeps a window. */
export function brokenGrowing(rows: readonly GrowingFigures[]): readonly string[] {
  const own = rows.find(({ system }) => system === OWN)?.took;
  if (own === undefined) return rows.length === 0 ? [] : [`${OWN}: too slow to be run.`];
  return rows.flatMap(({ system, turns, took }) => {
    const isPeer = /^(?:trimMessages|Mastra)/.test(system);
    if (!isPeer || took === undefined || took.minMs >= own.minMs) return [];
    return [`${turns.toLocaleString("en")} growing turns are slower than with ${system}.`];
  });
}
