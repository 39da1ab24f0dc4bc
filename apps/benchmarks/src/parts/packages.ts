import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { milliseconds } from "../report/statistics.ts";
import type { Measured, MeasureOptions } from "./measured.ts";

const rootFolder = fileURLToPath(new URL("../../../../", import.meta.url));

/** Runs the packages' own benches, which say what they found, and with `--check` whether it is what they promise. */
export async function measurePackages({ isCheck, data }: MeasureOptions): Promise<Measured> {
  const benches = globSync("packages/*/bench/*.bench.ts", { cwd: rootFolder }).toSorted();
  const figures = benches.map((bench) => {
    console.log(`## ${bench}\n`);
    const start = performance.now();
    const { status } = spawnSync(process.execPath, [bench, ...(isCheck ? ["--check"] : [])], {
      cwd: rootFolder,
      stdio: "inherit",
      env: { ...process.env, ...(data !== undefined && { AGENT_HISTORY_DATA: data }) },
    });
    console.log("");
    return { bench, isKept: status === 0, ms: performance.now() - start };
  });
  const table = {
    title: "The packages' own benches",
    note: "What they print stands in the run's output.",
    head: ["bench", "seconds", isCheck ? "promises kept" : "ran"],
    rows: figures.map(({ bench, ms, isKept }) => [
      `\`${bench}\``,
      milliseconds(ms / 1000),
      isKept ? "yes" : "no",
    ]),
    figures,
  };
  const broken = figures.filter(({ isKept }) => !isKept).map(({ bench }) => `${bench} failed.`);
  return { tables: [table], broken };
}
