import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";

import type { ResultTable } from "../report/result-table.ts";
import { milliseconds } from "../report/statistics.ts";
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

/** What was measured, or why it was not. */
export type FitRow = FitFigures | NotRun;

/** Measures every system on every size, each in a process of its own, smallest history first. */
export function fitAll(names: readonly string[], request: FitRequest): readonly FitRow[] {
  const last = new Map<string, FitRow>();
  return request.sizes.flatMap((messages) =>
    names.map((name) => {
      const row = fitNext(name, { messages, before: last.get(name), request });
      last.set(name, row);
      return row;
    }),
  );
}

function fitNext(
  system: string,
  given: {
    readonly messages: number;
    readonly before: FitRow | undefined;
    readonly request: FitRequest;
  },
): FitRow {
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
    note: "Milliseconds, medians; messages are in a system's own types before the clock starts. Cold: the first fit, nothing counted. Again: the same history, counts cached where the system can. One more turn: four messages later; where a system remembers counts, they were counted when they came, outside the figure. A system that summarizes has by then replaced its history by a summary, whose model answers at once here. Tokenized: tokens that the tokenizer had to give, a turn's beyond the new messages; a dash where the system estimates. Peak: how far the first fit and its repeats raised the process's memory.",
    head: [
      "messages",
      "system",
      "cold",
      "again",
      "one more turn",
      "tokenized, cold",
      "tokenized, turn",
      "peak MB",
    ],
    rows: rows.map((row) => [row.messages.toLocaleString("en"), row.system, ...cells(row)]),
    figures: rows,
  };
}

function cells(row: FitRow): readonly string[] {
  if ("because" in row) return [`not run: ${row.because}`, "", "", "", "", ""];
  return [
    milliseconds(row.coldMs),
    milliseconds(row.warmMs),
    milliseconds(row.oneMoreTurnMs),
    tokens(row.tokenizedCold),
    tokens(row.tokenizedTurn),
    row.peakMb.toFixed(0),
  ];
}

function tokens(count: number | undefined): string {
  return count === undefined ? "–" : Math.round(count).toLocaleString("en");
}
