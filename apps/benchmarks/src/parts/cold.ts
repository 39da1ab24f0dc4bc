import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

import type { ResultTable } from "../report/result-table.ts";
import { milliseconds } from "../report/statistics.ts";
import { takeTurns } from "../report/take-turns.ts";
import type { Timing } from "../report/take-turns.ts";
import { unpackPackages } from "./unpack-packages.ts";

/** What a new process took to come as far as one thing, and what it loaded for that. */
export interface ColdFigures {
  readonly what: string;
  readonly process: Timing;
  readonly modules: number;
  readonly packages: readonly string[];
}

const BARE = "Node alone";
const FLOW = "first fitted prompt, `agent-history/openai`";

/** The ten lines of the root README. */
const FIRST_PROMPT = `
  const { fitChatMessages } = await import("agent-history/openai");
  const history = [
    { role: "system", content: "You answer in one sentence." },
    { role: "user", content: "What is the capital of France?" },
    { role: "assistant", content: "Paris is the capital of France. ".repeat(1000) },
    { role: "user", content: "And of Spain?" },
  ];
  fitChatMessages(history, { model: "gpt-4", tools: [] });`;

const PROGRAMS: Readonly<Record<string, string>> = {
  [BARE]: "",
  [FLOW]: FIRST_PROMPT,
  ...Object.fromEntries(
    ["core", "filters", "reducer", "openai", "tokens", "compression", "history-manager"]
      .concat("store-sqlite", "store-redis", "store-postgres")
      .map((name) => [`import of \`${name}\``, `await import("@agent-history/${name}");`]),
  ),
};

/** Tells on the last line what was loaded. */
const COUNTED = (program: string): string => `
  import { registerHooks } from "node:module";
  const urls = [];
  registerHooks({ load: (url, context, next) => { urls.push(url); return next(url, context); } });
  ${program}
  console.log(JSON.stringify(urls));`;

const workspaceFolder = fileURLToPath(new URL("../../", import.meta.url));

/** How a process is begun, and how often. */
export interface ColdRequest {
  readonly repeats: number;
  /** Node's own. */
  readonly flags: readonly string[];
  /** Where the packages are found. Default: in this workspace. */
  readonly folder?: string;
  /** Leaves imports of single packages out. */
  readonly isFlowOnly?: boolean;
}

/** Measures new processes on the packages as users install them. */
export async function coldPublished(repeats: number): Promise<readonly ColdFigures[]> {
  using unpacked = unpackPackages();
  return await coldAll({ repeats, flags: [], folder: unpacked.folder });
}

/** Measures new processes, which take turns, and counts what each loads. */
export async function coldAll(request: ColdRequest): Promise<readonly ColdFigures[]> {
  const { repeats, flags, folder = workspaceFolder, isFlowOnly = false } = request;
  const programs = Object.entries(PROGRAMS).slice(0, isFlowOnly ? 2 : Infinity);
  const processes = await takeTurns(
    programs.map(([, program]) => () => {
      const start = performance.now();
      run(program, flags, folder);
      return performance.now() - start;
    }),
    repeats,
  );
  return programs.flatMap(([what, program], nth) => {
    const process = processes[nth];
    const urls: readonly string[] = JSON.parse(run(COUNTED(program), flags, folder));
    const packages = [...new Set(urls.map(packageOf))].toSorted();
    return process === undefined ? [] : { what, process, modules: urls.length, packages };
  });
}

function run(program: string, flags: readonly string[], cwd: string): string {
  const args = [...flags, "--input-type=module", "--eval", program];
  const { stdout, status, stderr } = spawnSync(process.execPath, args, {
    cwd,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim().split("\n").at(-1) ?? "";
}

/** The package that a module is of. */
function packageOf(url: string): string {
  const installed = /.*\/node_modules\/(?<name>(?:@[^/]+\/)?[^/]+)\//.exec(url)?.groups?.["name"];
  return installed ?? /\/packages\/(?<name>[^/]+)\//.exec(url)?.groups?.["name"] ?? "Node";
}

/** Draws what was found. */
export function coldTable(figures: readonly ColdFigures[]): ResultTable {
  const bare = figures.find(({ what }) => what === BARE)?.process;
  return {
    title: "Cold: from nothing to an import, or to the first prompt",
    note: "Milliseconds of a whole new process, from its start to its end; the processes take turns, and what differs between its halves by more than a third is run again (unsteady: it still does). More: beyond Node alone. Modules: files that were loaded.",
    head: ["what", "fastest", "median", "more, fastest", "more, median", "modules", "of", "load"],
    rows: figures.map(({ what, process: took, modules, packages }) => [
      what,
      milliseconds(took.minMs),
      `${milliseconds(took.medianMs)}${took.isUnsteady ? " (unsteady)" : ""}`,
      (took.minMs - (bare?.minMs ?? Number.NaN)).toFixed(0),
      (took.medianMs - (bare?.medianMs ?? Number.NaN)).toFixed(0),
      modules.toLocaleString("en"),
      packages.length === 0 ? "–" : packages.join(", "),
      took.load.toFixed(1),
    ]),
    figures,
  };
}

/** What is promised: the first prompt takes at most this many times as long as Node alone, which takes some 40 ms. */
const MOST_TIMES_BARE = 4.75;

/** Finds what is promised and was not kept: the first prompt is quick, and only stores, which check what they read, load the schema library. */
export function brokenColds(figures: readonly ColdFigures[]): readonly string[] {
  const [bare, flow] = [BARE, FLOW].map((name) => figures.find(({ what }) => what === name));
  if (bare === undefined || flow === undefined) return [];
  const times = flow.process.minMs / bare.process.minMs;
  return [
    ...(times > MOST_TIMES_BARE
      ? [`The first prompt takes ${times.toFixed(1)} times as long as Node alone.`]
      : []),
    ...figures
      .filter(({ packages }) => packages.includes("zod") && !packages.join().includes("store-"))
      .map(({ what }) => `Loads zod: ${what}.`),
  ];
}
