import { spawnSync } from "node:child_process";
import { loadavg, tmpdir } from "node:os";
import { fileURLToPath } from "node:url";

import type { ResultTable } from "../report/result-table.ts";
import { median, milliseconds } from "../report/statistics.ts";
import type { FitFigures, Repeats } from "./fit-one.ts";

const PROCESS = fileURLToPath(new URL("fit-process.ts", import.meta.url));
/** One system on one history is not waited for any longer. */
const PATIENCE_MS = 90_000;
/** What would take longer than this for a call, guessed by the power of one and a half, is not tried on the next longer history. */
const LONGEST_CALL_MS = 30_000;

/** What is fitted, and how often. */
export interface FitRequest extends Repeats {
  readonly sizes: readonly number[];
  readonly windowTokens: number;
}

/** A history that a system was not tried on, or not to the end. */
export interface NotRun {
  readonly system: string;
  readonly messages: number;
  readonly windowTokens: number;
  readonly because: string;
}

/** What was measured, in the middle of several processes. */
export interface FitMeasured extends FitFigures {
  /** One more turn, and its mean, as ratios to the bare walk of the same process. */
  readonly timesBare: number;
  readonly meanTimesBare: number;
  /** The machine's load when the last process had run. */
  readonly load: number;
  /** The processes differ by more than a third. */
  readonly isUnsteady: boolean;
}

/** What was measured, or why it was not. */
export type FitRow = FitMeasured | NotRun;

/** Each system has two processes for each size, and a third where those differ by more than a third. */
const PROCESSES = 2;
/** The table quotes ours as ratios: it has some more. */
const MORE_OF_OURS = 3;

/** Measures every system on every size, each in processes of its own, smallest history first. The systems of a size take turns. */
export function fitAll(names: readonly string[], request: FitRequest): readonly FitRow[] {
  const last = new Map<string, FitRow>();
  return request.sizes.flatMap((messages) => {
    const runs = new Map<string, (FitFigures | NotRun)[]>(names.map((name) => [name, []]));
    const run = (name: string): void => {
      const before = last.get(name);
      runs.get(name)?.push(fitNext(name, { messages, before, request }));
    };
    for (let turn = 0; turn < PROCESSES; turn++) {
      for (const name of turn % 2 === 0 ? names : names.toReversed()) run(name);
    }
    for (const name of names.filter(isIncremental))
      for (let nth = 0; nth < MORE_OF_OURS; nth++) run(name);
    const shaken = names.filter((name) => differ(measuredOf(runs.get(name) ?? [])));
    for (const name of shaken) run(name);
    return names.flatMap((name) => {
      const row = middle(runs.get(name) ?? []);
      if (row !== undefined) last.set(name, row);
      return row ?? [];
    });
  });
}

function measuredOf(runs: readonly (FitFigures | NotRun)[]): readonly FitFigures[] {
  return runs.flatMap((one) => ("because" in one ? [] : [one]));
}

/** The middle of what several processes found, the fastest of their fastest; or why there is none. */
function middle(runs: readonly (FitFigures | NotRun)[]): FitRow | undefined {
  const notRun = runs.find((one) => "because" in one);
  const measured = measuredOf(runs);
  const [first] = measured;
  if (notRun !== undefined || first === undefined) return notRun;
  const of = (read: (one: FitFigures) => number): readonly number[] => measured.map(read);
  const [load = 0] = loadavg();
  return {
    ...first,
    coldMs: median(of(({ coldMs }) => coldMs)),
    warmMs: median(of(({ warmMs }) => warmMs)),
    warmMinMs: Math.min(...of(({ warmMinMs }) => warmMinMs)),
    oneMoreTurnMs: median(of(({ oneMoreTurnMs }) => oneMoreTurnMs)),
    oneMoreTurnMinMs: Math.min(...of(({ oneMoreTurnMinMs }) => oneMoreTurnMinMs)),
    oneMoreTurnMeanMs: median(of(({ oneMoreTurnMeanMs }) => oneMoreTurnMeanMs)),
    bareTurnMs: median(of(({ bareTurnMs }) => bareTurnMs)),
    timesBare: median(of(({ oneMoreTurnMs, bareTurnMs }) => oneMoreTurnMs / bareTurnMs)),
    meanTimesBare: median(of((one) => one.oneMoreTurnMeanMs / one.bareTurnMs)),
    firstTurnsMeanMs: median(of(({ firstTurnsMeanMs }) => firstTurnsMeanMs)),
    load,
    isUnsteady: differ(measured),
  };
}

/** Returns whether no two processes agree, within a third, on a fit again and on one more turn. */
function differ(measured: readonly FitFigures[]): boolean {
  if (measured.length < 2) return false;
  const agree = (times: readonly number[]): boolean => {
    const sorted = times.toSorted((one, other) => one - other);
    return sorted.some((time, nth) => nth > 0 && time <= ((sorted[nth - 1] ?? 0) * 4) / 3);
  };
  return (
    !agree(measured.map(({ warmMs }) => warmMs)) || !agree(measured.map((one) => one.oneMoreTurnMs))
  );
}

function fitNext(
  system: string,
  given: {
    readonly messages: number;
    readonly before: FitRow | undefined;
    readonly request: FitRequest;
  },
): FitFigures | NotRun {
  const { messages, before, request } = given;
  const { windowTokens, repeats, budgetMs } = request;
  const none = { system, messages, windowTokens };
  if (before !== undefined && "because" in before) return { ...none, because: before.because };
  if (before !== undefined) {
    const slowestMs = Math.max(before.coldMs, before.warmMs);
    const guessMs = slowestMs * (messages / before.messages) ** 1.5;
    const at = before.messages.toLocaleString("en");
    const because = `${milliseconds(slowestMs)} ms a call at ${at}`;
    if (guessMs > LONGEST_CALL_MS) return { ...none, because };
  }
  const args = [PROCESS, system, messages, windowTokens, repeats, budgetMs].map(String);
  const { stdout, status, signal, stderr } = spawnSync(process.execPath, args, {
    cwd: tmpdir(),
    encoding: "utf8",
    timeout: PATIENCE_MS,
  });
  if (signal !== null) {
    const at = messages.toLocaleString("en");
    return { ...none, because: `over ${PATIENCE_MS / 1000} s for the repeats at ${at}` };
  }
  if (status !== 0) throw new Error(`${system} on ${messages} messages: ${stderr}`);
  return JSON.parse(stdout);
}

/** Draws what was found, smallest history first. */
export function fitTable(rows: readonly FitRow[]): ResultTable {
  const { windowTokens = 0 } = rows[0] ?? {};
  return {
    title: `Fit: one call at a window of ${windowTokens.toLocaleString("en")} tokens`,
    note: "Milliseconds, less those that the process waited for a processor, medians of two processes, which take turns with those of other systems, or of three where the two differ by more than a third (unsteady: no two agree), ours with the plan of five; messages are in a system's own types before the clock starts. Cold: the first fit, nothing counted. Again: the same history, counts cached where the system can. One more turn: four messages later, in a process that has made up to 1,000 turns before, and the mean, turns that cut with the others; both also as ratios to a bare backward walk that took the same turns in the same process, right after each; first turns: the mean of those before, of code that is not compiled yet. Where a system remembers counts, they were counted when they came, outside the figure. A system that summarizes has by then replaced its history by a summary, whose model answers at once here. Tokenized: tokens that the tokenizer had to give, a turn's beyond the new messages; a dash where the system estimates. Peak: how far the first fit and its repeats raised the process's memory.",
    head: [
      "messages",
      "system",
      "cold",
      "again, fastest",
      "again",
      "one more turn, fastest",
      "one more turn",
      "mean",
      "times a bare walk",
      "mean, times it",
      "mean, first turns",
      "tokenized, cold",
      "tokenized, turn",
      "peak MB",
      "load",
    ],
    rows: rows.map((row) => [row.messages.toLocaleString("en"), row.system, ...cells(row)]),
    figures: rows,
  };
}

function cells(row: FitRow): readonly string[] {
  if ("because" in row) return [`not run: ${row.because}`, ...Array.from({ length: 12 }, () => "")];
  return [
    milliseconds(row.coldMs),
    milliseconds(row.warmMinMs),
    `${milliseconds(row.warmMs)}${row.isUnsteady ? " (unsteady)" : ""}`,
    milliseconds(row.oneMoreTurnMinMs),
    milliseconds(row.oneMoreTurnMs),
    milliseconds(row.oneMoreTurnMeanMs),
    row.timesBare.toFixed(1),
    row.meanTimesBare.toFixed(1),
    milliseconds(row.firstTurnsMeanMs),
    tokens(row.tokenizedCold),
    tokens(row.tokenizedTurn),
    row.peakMb.toFixed(0),
    row.load.toFixed(1),
  ];
}

function tokens(count: number | undefined): string {
  return count === undefined ? "–" : Math.round(count).toLocaleString("en");
}

function isIncremental(system: string): boolean {
  return system === "agent-history, incremental";
}
