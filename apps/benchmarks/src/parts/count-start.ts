import { spawnSync } from "node:child_process";
import { existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import type { ResultTable } from "../report/result-table.ts";
import { takeTurns } from "../report/take-turns.ts";
import type { Timing } from "../report/take-turns.ts";
import { timingCells } from "../report/timing-cells.ts";
import { unpackPackages } from "./unpack-packages.ts";

/** What a new process took to its first count. */
export interface StartFigures {
  readonly counter: string;
  readonly process: Timing;
}

const BARE = "Node alone";
const OWN = "tiktokenCounter";

const PROGRAMS: Readonly<Record<string, string>> = {
  [BARE]: "",
  [OWN]: `const { tiktokenCounter } = await import("@agent-history/tokens");
tiktokenCounter({ encoding: "o200k_base" }).countText("Hello");`,
  "o200kBaseCounter, `/o200k-base`": `const { o200kBaseCounter } = await import("@agent-history/tokens/o200k-base");
o200kBaseCounter().countText("Hello");`,
  "cl100kBaseCounter, `/cl100k-base`": `const { cl100kBaseCounter } = await import("@agent-history/tokens/cl100k-base");
cl100kBaseCounter().countText("Hello");`,
  "gptTokenizerCounter, `/gpt-tokenizer`": `const { gptTokenizerCounter } = await import("@agent-history/tokens/gpt-tokenizer");
gptTokenizerCounter({ encoding: "o200k_base" }).countText("Hello");`,
  "tiktoken itself, o200k_base": `const { get_encoding } = await import("tiktoken");
get_encoding("o200k_base").encode_ordinary("Hello").length;`,
};

const workspaceFolder = fileURLToPath(new URL("../../", import.meta.url));

/** How a process is begun, and how often. */
export interface StartRequest {
  readonly repeats: number;
  /** Node's own. Default: none. */
  readonly flags?: readonly string[];
  /** Where the packages are found. Default: in this workspace. */
  readonly folder?: string;
}

/** Measures first counts on the packages as users install them. */
export async function publishedStarts(repeats: number): Promise<readonly StartFigures[]> {
  using unpacked = unpackPackages();
  const { folder } = unpacked;
  // An optional peer, which a user installs beside.
  const peer = join(folder, "node_modules/gpt-tokenizer");
  if (!existsSync(peer)) {
    symlinkSync(join(workspaceFolder, "node_modules/gpt-tokenizer"), peer, "dir");
  }
  return await startsAll({ repeats, folder });
}

/** Measures new processes from their start to their end, which take turns. */
export async function startsAll({
  repeats,
  flags = [],
  folder = workspaceFolder,
}: StartRequest): Promise<readonly StartFigures[]> {
  const programs = Object.entries(PROGRAMS);
  const timings = await takeTurns(
    programs.map(([, program]) => () => {
      const start = performance.now();
      run(program, flags, folder);
      return performance.now() - start;
    }),
    repeats,
  );
  return programs.flatMap(([counter], nth) => {
    const process = timings[nth];
    return process === undefined ? [] : [{ counter, process }];
  });
}

function run(program: string, flags: readonly string[], cwd: string): void {
  const args = [...flags, "--input-type=module", "--eval", program];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
}

/** Draws what was found. */
export function startTable(figures: readonly StartFigures[]): ResultTable {
  const bare = figures.find(({ counter }) => counter === BARE)?.process;
  return {
    title: "Count: from nothing to the first count",
    note: "Milliseconds of a whole new process, from its start to its end; the processes take turns. More: beyond Node alone.",
    head: ["counter", "fastest", "median", "more, fastest", "more, median", "load"],
    rows: figures.map(({ counter, process: took }) => [
      counter,
      ...timingCells(took),
      (took.minMs - (bare?.minMs ?? Number.NaN)).toFixed(0),
      (took.medianMs - (bare?.medianMs ?? Number.NaN)).toFixed(0),
      took.load.toFixed(1),
    ]),
    figures,
  };
}

/** What is promised: at most so many times as long as Node alone, which takes 25 to 40 ms: 75 to 120 ms more. */
const MOST_TIMES_BARE = 4;

/** Finds what takes longer than promised. */
export function brokenStarts(figures: readonly StartFigures[]): readonly string[] {
  const [bare, own] = [BARE, OWN].map((name) => figures.find(({ counter }) => counter === name));
  if (bare === undefined || own === undefined) return [];
  const times = own.process.minMs / bare.process.minMs;
  return times > MOST_TIMES_BARE
    ? [`The first count takes ${times.toFixed(1)} times as long as Node alone.`]
    : [];
}
