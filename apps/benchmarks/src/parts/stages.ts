import type { HistoryEntry } from "@agent-history/core";
import {
  filterHistory,
  managerHistoryFilter,
  orchestratorHistoryFilter,
  workerHistoryFilter,
} from "@agent-history/filters";
import { completionDetector } from "@agent-history/filters/completion";
import { removeFromText, tagCleaner } from "@agent-history/postprocess";
import { lexicalScorer } from "@agent-history/reducer/lexical";
import MiniSearch from "minisearch";

import type { ResultTable } from "../report/result-table.ts";
import { milliseconds } from "../report/statistics.ts";
import { takeTurns } from "../report/take-turns.ts";
import type { Timing } from "../report/take-turns.ts";
import { agentTurns, TURN, VIEWER } from "../stores/agent-thread.ts";

/** What one stage took, beside the least that does its work. */
export interface StageFigures {
  readonly what: string;
  readonly own: Timing;
  readonly bare: Timing;
  /** How many times as long it may take. */
  readonly mostTimes: number;
}

/** Measures filters on a thread of a length, an index of a tenth of it, and cleaning of a text with a tag for every five entries. */
export async function stagesAll(
  entries: number,
  repeats: number,
): Promise<readonly StageFigures[]> {
  const thread = agentTurns(0, Math.ceil(entries / TURN)).flat();
  const text = 'Apple <ticker symbol="AAPL">201 USD</ticker> rose. '.repeat(entries / 5);
  const cleaners = [tagCleaner({ tag: "ticker" })];
  const detector = completionDetector();
  const agent = { agentId: VIEWER };
  const said = thread.slice(0, Math.ceil(entries / 10));
  const texts = said.map((entry, id) => ({ id, content: "content" in entry ? entry.content : "" }));
  const walk = (): unknown => thread.filter(({ type }) => type !== "opaque");
  const stages: readonly (readonly [string, number, () => unknown, () => unknown])[] = [
    ["workerHistoryFilter", 20, () => filterHistory(thread, workerHistoryFilter(), agent), walk],
    ["managerHistoryFilter", 20, () => filterHistory(thread, managerHistoryFilter(), {}), walk],
    [
      "orchestratorHistoryFilter",
      20,
      () => filterHistory(thread, orchestratorHistoryFilter()),
      walk,
    ],
    ["completionDetector", 20, () => detector.detect(thread, agent), walk],
    [
      "lexicalScorer, index and first question",
      1,
      () => lexicalScorer().score(QUESTION, said.map(copied)),
      () => {
        const engine = new MiniSearch({ fields: ["content"] });
        engine.addAll(texts);
        return engine.search(QUESTION);
      },
    ],
    [
      "removeFromText, dense tags",
      4,
      () => removeFromText(text, { cleaners }).text,
      () => text.replace(/\s*<ticker[^>]*>[^<]*<\/ticker>/g, ""),
    ],
  ];
  const timings = await takeTurns(
    stages.flatMap(([, , own, bare]) => [() => timeOf(own), () => timeOf(bare)]),
    repeats,
  );
  return stages.flatMap(([what, mostTimes], nth) => {
    const [own, bare] = timings.slice(2 * nth);
    return own === undefined || bare === undefined ? [] : { what, own, bare, mostTimes };
  });
}

const QUESTION = "Where is the valve?";

/** Another object: what was read of the entry is not known of it. */
function copied(entry: HistoryEntry): HistoryEntry {
  return { ...entry };
}

function timeOf(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

/** Draws what was found. */
export function stagesTable(figures: readonly StageFigures[]): ResultTable {
  return {
    title: "Stages: filters and cleaning beside the least that does the work",
    note: "Milliseconds, the fastest run and the median, in turns. Bare: one `filter` over the entries, one regular expression over the text, an index of MiniSearch with its defaults. Times: of the fastest runs.",
    head: [
      "stage",
      "fastest",
      "median",
      "bare, fastest",
      "bare, median",
      "times",
      "at most",
      "load",
    ],
    rows: figures.map(({ what, own, bare, mostTimes }) => [
      what,
      milliseconds(own.minMs),
      `${milliseconds(own.medianMs)}${own.isUnsteady ? " (unsteady)" : ""}`,
      milliseconds(bare.minMs),
      milliseconds(bare.medianMs),
      (own.minMs / bare.minMs).toFixed(1),
      String(mostTimes),
      own.load.toFixed(1),
    ]),
    figures,
  };
}

/** Finds what takes more times as long as promised. */
export function brokenStages(figures: readonly StageFigures[]): readonly string[] {
  return figures
    .filter(({ own, bare, mostTimes }) => own.minMs > mostTimes * bare.minMs)
    .map(
      ({ what, own, bare, mostTimes }) =>
        `${what} takes ${(own.minMs / bare.minMs).toFixed(1)} times what is bare, expected at most ${mostTimes}.`,
    );
}
